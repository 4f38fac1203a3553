import Foundation

/// Real photos and recordings, none of which is part of the project.
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

  /// The sample photos of scikit-image and matplotlib, which `make setup-test` installs: two people, who look into the camera.
  public static let people = ["skimage/data/astronaut.png", "matplotlib/mpl-data/sample_data/grace_hopper.jpg"]

  /// Photos of the same packages without people: a cup, a cat, a rocket, a motorcycle, a wall and gravel.
  public static let things = [
    "coffee.png", "chelsea.png", "rocket.jpg", "motorcycle_left.png", "brick.png", "gravel.png",
  ].map { "skimage/data/" + $0 }

  /// The folder of the Python packages; `nil` if Python or a photo is missing.
  private static let packages: String? = {
    let script = "import sysconfig; print(sysconfig.get_path('platlib'))"
    guard let text = try? OutsideTool.text(OutsideTool.python, ["-c", script]) else { return nil }
    let folder = text.trimmingCharacters(in: .newlines)
    let isComplete = (people + things).allSatisfy { FileManager.default.fileExists(atPath: folder + "/" + $0) }
    return isComplete ? folder : nil
  }()

  /// Whether the packages' photos are installed; tests that need them use `.enabled(if: TestData.hasPhotos, "needs make setup-test")`.
  public static var hasPhotos: Bool { packages != nil }

  /// A file in the folder, or a photo of the packages.
  public static func path(_ name: String) -> String {
    ((people + things).contains(name) ? packages : folder).map { $0 + "/" + name } ?? ""
  }

  /// Those of the files that exist on this machine.
  public static func present(_ names: [String]) -> [String] {
    names.filter { FileManager.default.fileExists(atPath: path($0)) }
  }
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

  /// Writes a file, in a new folder if its name has one, and returns its path.
  @discardableResult public func write(_ bytes: some Sequence<UInt8>, _ name: String) throws -> String {
    let url = URL(fileURLWithPath: file(name))
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return file(name)
  }

  /// The bytes of a file in the folder.
  public func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }

  /// The sorted names in the folder, including hidden ones.
  public var contents: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
