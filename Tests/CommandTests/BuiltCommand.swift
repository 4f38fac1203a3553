import Foundation
import TestSupport

/// The built command, run as a process.
enum BuiltCommand {
  /// The executable is next to the test bundle.
  static let path: String = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appending(path: "backdrop").path
  }()

  /// Runs the command until it ends.
  static func run(
    _ arguments: [String], input: Data? = nil, folder: String? = nil, environment: [String: String] = [:]
  ) throws -> Program.Outcome {
    try start(arguments, input: input, folder: folder, environment: environment).wait()
  }

  static func start(
    _ arguments: [String], input: Data? = nil, folder: String? = nil, environment: [String: String] = [:]
  ) throws -> Program {
    try Program(
      path, arguments, input: input, folder: folder, environment: environment.merging(["NO_COLOR": "1"]) { $1 })
  }
}
