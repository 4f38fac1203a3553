import Foundation
import Synchronization

/// Files for parsers that read from a path.
enum FuzzFile {
  /// A folder inside the temporary folder, which `make fuzz` places in memory.
  private static let folder: String = {
    let folder = NSTemporaryDirectory() + "backdrop-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      fatalError("no temporary folder: \(error)")
    }
    atexit { FuzzFile.removeFolder() }
    return folder
  }()

  private static let count = Atomic(0)

  private static func removeFolder() { FuzzTarget.attempt { try FileManager.default.removeItem(atPath: folder) } }

  /// A folder that contains one file while `body` runs.
  static func with<Result>(_ bytes: [UInt8], _ name: String, _ body: (_ path: String) throws -> Result) rethrows
    -> Result
  {
    // Tests run in parallel.
    let place = folder + "/\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
    let path = place + "/" + name
    guard mkdir(place, 0o700) == 0 else { fatalError("no temporary folder \(place)") }
    defer {
      unlink(path)
      rmdir(place)
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    guard descriptor >= 0, written == bytes.count else { fatalError("no temporary file \(path)") }
    return try body(path)
  }
}
