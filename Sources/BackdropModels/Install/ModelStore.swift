import BackdropImaging
import Foundation

/// Where the network runtime and the models are kept: `$XDG_DATA_HOME/backdrop` (mostly `~/.local/share/backdrop`). A folder of
/// one's own model files is named by `BACKDROP_MODELS`.
public struct ModelStore: Sendable {
  /// The folder of both.
  public let folder: String
  private let ownFolder: String?

  /// The store of this user.
  public init() {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["HOME"] ?? NSHomeDirectory()
    let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/share"
    self.init(folder: data + "/backdrop", ownFolder: environment["BACKDROP_MODELS"].flatMap { $0.isEmpty ? nil : $0 })
  }

  package init(folder: String, ownFolder: String? = nil) {
    self.folder = folder
    self.ownFolder = ownFolder
  }

  /// Where the runtime's libraries are.
  public var runtimeFolder: String { folder + "/runtime" }
  /// Where installed models are.
  public var modelsFolder: String { folder + "/models" }

  /// The path of a model file of that name; `nil` if it is in neither folder.
  public func path(of file: String) -> String? {
    [ownFolder, modelsFolder].compactMap { $0 }.map { $0 + "/" + file }.first { FileKind($0) == .file }
  }

  /// Whether all that ``install(progress:)`` brings is there, in the right versions.
  public var isComplete: Bool { Package.all.allSatisfy { isComplete($0) } }

  func isComplete(_ package: Package) -> Bool {
    let folder = self.folder + "/" + package.folder
    guard let stamp = FileManager.default.contents(atPath: folder + "/" + Package.stampName),
      String(decoding: stamp, as: UTF8.self) == package.stamp
    else { return false }
    return package.members.allSatisfy { FileKind(folder + "/" + Package.fileName($0)) == .file }
  }
}
