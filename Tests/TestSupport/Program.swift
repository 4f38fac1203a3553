import BackdropImaging
import Foundation
import Synchronization

/// A program started by a test.
///
/// It inherits the streams named here and no other open file, because an end of another test's pipe would make that test wait. A thread
/// reads the output as it arrives. A program that outlives this object is killed with all its child processes.
public final class Program: Sendable {
  /// The result of a run.
  public struct Outcome: Sendable {
    /// The exit status, or 128 plus the number of the signal that ended it.
    public var status: Int32
    /// The standard output.
    public var output: Data
    /// The standard error.
    public var errors: String

    /// The standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
  }

  private let process: ChildProcess
  private let output = Stream(), errors = Stream()

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: the program's path, or its name in the search path.
  ///   - input: the standard input; none if `nil`.
  ///   - keepsInputOpen: whether the input stays open after `input`, until ``closeInput()``.
  ///   - output: an open file for the standard output, instead of ``Outcome``.
  ///   - errors: an open file for the standard error, instead of ``Outcome``.
  ///   - folder: the current folder.
  ///   - environment: variables in addition to those of the tests.
  public init(
    _ path: String, _ arguments: [String], input: Data? = nil, keepsInputOpen: Bool = false, output: Int32? = nil,
    errors: Int32? = nil, folder: String? = nil, environment: [String: String] = [:]
  ) throws {
    _ = Self.ignoringClosedPipes
    let place = folder.map { ["--chdir=" + $0] } ?? []
    process = try ChildProcess(
      "/usr/bin/env", place + environment.map { "\($0)=\($1)" } + [path] + arguments,
      input: input == nil && !keepsInputOpen ? .null : .pipe, output: output.map { .file($0) } ?? .pipe,
      errors: errors.map { .file($0) } ?? .pipe)
    if process.output >= 0 { try self.output.read(process.output, of: process) }
    if process.errors >= 0 { try self.errors.read(process.errors, of: process) }
    guard let input else { return }
    try DetachedThread.start { [process] in
      var rest = input[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(process.input, $0.baseAddress, $0.count) }
        // The program may close its end of the pipe early.
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
      if !keepsInputOpen { close(process.input) }
    }
  }

  deinit {
    if process.status == nil { kill(-process.identifier, SIGKILL) }
    process.wait()
  }

  /// A program that closes its input early must not end the tests.
  private static let ignoringClosedPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

  /// The process id.
  public var identifier: Int32 { process.identifier }

  /// Whether the program is still running.
  public var isRunning: Bool { process.status == nil }

  /// Sends a signal to the program.
  public func send(_ signal: Int32) { process.send(signal) }

  /// Closes the input of a program that was started with `keepsInputOpen`. Call it once.
  public func closeInput() { close(process.input) }

  /// Waits until the program ends, and its output is read.
  @discardableResult public func wait() -> Outcome {
    let status = process.wait()
    eventually("the output of process \(identifier)") { output.isRead && errors.isRead }
    return Outcome(status: status, output: output.data, errors: String(decoding: errors.data, as: UTF8.self))
  }

  /// Waits for any output, or its end, and returns it.
  public func waitForOutput() -> Data {
    eventually("output of process \(identifier)") { !output.data.isEmpty || output.isOver }
    return output.data
  }

  /// The data from a pipe so far.
  private final class Stream: Sendable {
    private let state = Mutex((data: Data(), descriptor: Int32(-1), isOver: true))

    var data: Data { state.withLock { $0.data } }
    var isOver: Bool { state.withLock { $0.isOver } }
    /// Whether the pipe has ended or is empty: child processes that continue may keep it open.
    var isRead: Bool {
      state.withLock { state in
        var waiting: Int32 = 0
        return state.isOver || ioctl(state.descriptor, UInt(FIONREAD), &waiting) == 0 && waiting == 0
      }
    }

    func read(_ descriptor: Int32, of process: ChildProcess) throws {
      state.withLock { ($0.descriptor, $0.isOver) = (descriptor, false) }
      try DetachedThread.start {
        // The process closes the pipe when it is released.
        withExtendedLifetime(process) {
          var part = [UInt8](repeating: 0, count: 65_536)
          while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, -1) > 0 else { continue }
            // Reading and keeping are one step for `isRead`.
            let count = self.state.withLock { state in
              let count = Foundation.read(descriptor, &part, part.count)
              if count > 0 { state.data.append(contentsOf: part[..<count]) }
              return count
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
          }
          self.state.withLock { $0.isOver = true }
        }
      }
    }
  }
}
