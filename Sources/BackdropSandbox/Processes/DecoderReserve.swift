import BackdropImaging
import CSandbox
import Libc
import Synchronization

/// Makes sandboxes for many clients; each has its own processes, which start quickly.
///
/// A template process opens the libraries and decodes nothing. It forks a copy for each sandbox, and the copy enters the sandbox before
/// it receives a file.
package final class DecoderReserve: Sendable {
  private let options: DecoderSandbox.Options
  private let templates = Mutex<[DecoderLibrary: DecoderTemplate]>([:])

  /// Starts a process and checks that its sandbox can be set up.
  package init(_ options: DecoderSandbox.Options) throws(BackdropError) {
    self.options = options
    try makeProcess(.none).waitUntilReady()
  }

  package func sandbox() -> DecoderSandbox { DecoderSandbox(options, reserve: self) }

  /// Makes an unused process.
  func makeProcess(_ library: DecoderLibrary) throws(BackdropError) -> DecoderProcess {
    try templates.withLock { templates throws(BackdropError) in
      if let process = try templates[library]?.copy() { return process }
      // There is no template yet, or it has ended.
      let made = try DecoderTemplate(options, library)
      templates[library] = made
      guard let process = try made.copy() else {
        throw DecoderSandbox.unavailable("the decoder", "it ended with status \(made.status)")
      }
      return process
    }
  }
}

/// A process that forks copies of itself, one at a time.
private final class DecoderTemplate: Sendable {
  private let options: DecoderSandbox.Options
  private let library: DecoderLibrary
  private let connection: Int32
  private let process: ChildProcess

  init(_ options: DecoderSandbox.Options, _ library: DecoderLibrary) throws(BackdropError) {
    (self.options, self.library) = (options, library)
    (connection, process) = try DecoderProcess.start(options)
    _ = bd_message(DecoderMessage.prepare, slot: UInt32(library.rawValue)).send(to: connection)
  }

  deinit {
    close(connection)
    process.send(SIGKILL)
    process.wait()
  }

  /// Ends the process and returns its status.
  var status: Int32 {
    process.send(SIGKILL)
    return process.wait()
  }

  /// Makes a copy; `nil` if the template has ended.
  func copy() throws(BackdropError) -> DecoderProcess? {
    let ends = try DecoderProcess.makeConnection()
    var message = bd_message(DecoderMessage.fork)
    let isSent = message.send(to: connection, ends.theirs)
    close(ends.theirs)
    guard isSent, bd_receive(connection, nil, &message, nil, 60_000) == 1, message.kind == DecoderMessage.forked,
      let copy = pid_t(exactly: Int64(bitPattern: message.values.0)), copy > 0
    else {
      close(ends.ours)
      return nil
    }
    return DecoderProcess(options, library, ends.ours, ChildProcess(adopting: copy))
  }
}
