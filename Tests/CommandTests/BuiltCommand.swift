import Foundation

/// The built command, run as a process.
struct BuiltCommand {
  /// What a run left.
  struct Outcome {
    var status: Int32
    var output: Data
    var errors: String
  }

  /// The executable lies beside the test bundle.
  static let path: String = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appending(path: "backdrop").path
  }()

  /// Runs the command to its end, or for `seconds` at most (then it is killed and the status is 9).
  static func run(
    _ arguments: [String], input: Data? = nil, folder: String? = nil, environment: [String: String] = [:],
    seconds: Double = 180
  ) throws -> Outcome {
    let running = try start(arguments, input: input, folder: folder, environment: environment)
    return running.wait(seconds: seconds)
  }

  /// A command that is still running.
  final class Running {
    let process: Process
    private let output: Pipe
    private let errors: Pipe

    init(_ process: Process, _ output: Pipe, _ errors: Pipe) {
      self.process = process
      self.output = output
      self.errors = errors
    }

    /// Ends it as nothing can prevent.
    func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Waits for the end, reading what the command prints meanwhile.
    func wait(seconds: Double) -> Outcome {
      let process = self.process
      let watchdog = DispatchWorkItem { Foundation.kill(process.processIdentifier, SIGKILL) }
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: watchdog)
      let errorReader = Reader(errors.fileHandleForReading)
      let data = output.fileHandleForReading.readDataToEndOfFile()
      let text = errorReader.text
      process.waitUntilExit()
      watchdog.cancel()
      return Outcome(status: process.terminationStatus, output: data, errors: text)
    }
  }

  /// A command that closes its input early must not end the tests.
  static let ignoringClosedPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

  static func start(
    _ arguments: [String], input: Data? = nil, folder: String? = nil, environment: [String: String] = [:]
  ) throws -> Running {
    _ = ignoringClosedPipes
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    if let input {
      let pipe = Pipe()
      process.standardInput = pipe
      DispatchQueue.global().async {
        // The command may close its end early; that is its right.
        try? pipe.fileHandleForWriting.write(contentsOf: input)
        try? pipe.fileHandleForWriting.close()
      }
    } else {
      process.standardInput = FileHandle.nullDevice
    }
    try process.run()
    return Running(process, output, errors)
  }

  /// Reads to the end on a thread of its own.
  private final class Reader: @unchecked Sendable {
    // Written before the semaphore is signalled, read after.
    private var data = Data()
    private let done = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle) {
      DispatchQueue.global().async {
        self.data = handle.readDataToEndOfFile()
        self.done.signal()
      }
    }

    var text: String {
      done.wait()
      done.signal()
      return String(decoding: data, as: UTF8.self)
    }
  }
}
