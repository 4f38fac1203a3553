import Foundation

/// The folder of real photos and recordings, which is not part of the project.
public enum TestData {
  /// `BACKDROP_DATA`, or `shared/data` next to the checkout; `nil` if neither exists.
  public static let folder: String? = {
    let named = ProcessInfo.processInfo.environment["BACKDROP_DATA"].flatMap {
      $0.isEmpty ? nil : URL(fileURLWithPath: $0)
    }
    let beside = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../shared/data")
    let folder = (named ?? beside).standardizedFileURL.path
    return FileManager.default.fileExists(atPath: folder) ? folder : nil
  }()

  /// Whether the folder exists; tests that need it use `.enabled(if: TestData.isPresent, "needs BACKDROP_DATA")`.
  public static var isPresent: Bool { folder != nil }

  /// A file in the folder.
  public static func path(_ name: String) -> String { (folder ?? "") + "/" + name }
}

/// A folder that is removed when the object is released.
public final class TemporaryFolder: Sendable {
  /// The folder's path.
  public let path: String

  /// Creates a new, empty folder.
  public init() {
    path = FileManager.default.temporaryDirectory.appending(path: "backdrop-test-\(UUID().uuidString)").path
    // A test that cannot make its folder fails at its first file.
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in the folder.
  public func file(_ name: String) -> String { path + "/" + name }

  /// The sorted names in the folder, including hidden ones.
  public var contents: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
