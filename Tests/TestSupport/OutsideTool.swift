import Foundation

/// Other programs, asked for a second opinion.
public enum OutsideTool {
  /// What went wrong, with what the program said of it.
  public struct Failure: Error, CustomStringConvertible {
    /// The program, its arguments and its complaint.
    public var description: String
  }

  /// The Python whose packages tests may use: `BACKDROP_PYTHON`, or what `make setup-test` installed, or the system's.
  public static let python: String = {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["BACKDROP_PYTHON"] { return named }
    let cache =
      environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.cache"
    let installed = cache + "/backdrop/test-python/bin/python3"
    return FileManager.default.isExecutableFile(atPath: installed) ? installed : "python3"
  }()

  /// Runs a program of the search path to its end and gives what it writes to standard output.
  ///
  /// - Throws: ``Failure`` if it ends with another status than 0.
  public static func run(_ program: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let (output, errors) = (Pipe(), FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString))
    // In a file, so that a program that says much does not wait for a reader.
    try Data().write(to: errors)
    defer { unlink(errors.path) }
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let complaint = try String(decoding: Data(contentsOf: errors), as: UTF8.self)
      throw Failure(
        description:
          "\(program) \(arguments.joined(separator: " ")): status \(process.terminationStatus): \(complaint)")
    }
    return data
  }

  /// The same, as text.
  public static func text(_ program: String, _ arguments: [String]) throws -> String {
    String(decoding: try run(program, arguments), as: UTF8.self)
  }

  /// Whether a program runs and ends well.
  public static func succeeds(_ program: String, _ arguments: [String]) -> Bool {
    do {
      _ = try run(program, arguments)
      return true
    } catch {
      return false
    }
  }
}
