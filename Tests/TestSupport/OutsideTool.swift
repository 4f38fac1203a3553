import Foundation

/// Runs other programs, for comparing results.
public enum OutsideTool {
  /// The error, with the program's message.
  public struct Failure: Error, CustomStringConvertible {
    /// The program, its arguments and its message.
    public var description: String

    /// Creates an error with a description.
    public init(_ description: String) { self.description = description }
  }

  /// The Python with packages for tests: `BACKDROP_PYTHON`, the one installed by `make setup-test`, or the system's.
  public static let python: String = {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["BACKDROP_PYTHON"] { return named }
    let cache =
      environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.cache"
    let installed = cache + "/backdrop/test-python/bin/python3"
    return FileManager.default.isExecutableFile(atPath: installed) ? installed : "python3"
  }()

  /// Whether the search path has a program of this name.
  public static func isPresent(_ name: String) -> Bool {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  /// Runs a program of the search path until it ends, and returns its standard output.
  ///
  /// - Throws: ``Failure`` if it ends with another status than 0.
  @discardableResult
  public static func run(_ program: String, _ arguments: [String], input: Data? = nil) throws -> Data {
    let outcome = try Program(program, arguments, input: input).wait()
    guard outcome.status == 0 else {
      throw Failure("\(program) \(arguments.joined(separator: " ")): status \(outcome.status): \(outcome.errors)")
    }
    return outcome.output
  }

  /// Runs a program of the search path until it ends, and returns its standard output as text.
  public static func text(_ program: String, _ arguments: [String]) throws -> String {
    String(decoding: try run(program, arguments), as: UTF8.self)
  }

  /// Whether a program runs and succeeds.
  public static func succeeds(_ program: String, _ arguments: [String]) -> Bool {
    do {
      _ = try run(program, arguments)
      return true
    } catch {
      return false
    }
  }
}
