import BackdropImaging
import CSandbox
import Libc
import Synchronization

/// Sandboxes for many strangers: each has processes of its own, and these cost little.
///
/// A process that has opened the libraries, and decodes nothing, makes a copy of itself for each sandbox. The copy goes behind the walls
/// before it gets a file.
public final class DecoderReserve: Sendable {
  private let options: DecoderSandbox.Options
  private let templates = Mutex<[DecoderLibrary: DecoderTemplate]>([:])

  /// Starts a process, and checks that the walls can be put up.
  ///
  /// - Throws: as ``DecoderSandbox/init(_:)``.
  public init(_ options: DecoderSandbox.Options) throws(BackdropError) {
    self.options = options
    try take(.none).waitUntilReady()
  }

  /// A sandbox for one stranger's files.
  public func sandbox() -> DecoderSandbox { DecoderSandbox(options, reserve: self) }

  /// A process that nobody has used.
  func take(_ library: DecoderLibrary) throws(BackdropError) -> DecoderProcess {
    let outcome: Result<DecoderProcess, BackdropError> = templates.withLock { templates in
      do throws(BackdropError) {
        if let process = try templates[library]?.copy() { return .success(process) }
        // The first one, or the last was ended by somebody.
        let made = try DecoderTemplate(options, library)
        templates[library] = made
        guard let process = try made.copy() else {
          throw DecoderSandbox.noWalls("the decoder", "it ended with status \(made.status)")
        }
        return .success(process)
      } catch { return .failure(error) }
    }
    return try outcome.get()
  }
}

/// A process that makes copies of itself, one at a time.
private final class DecoderTemplate: Sendable {
  private let options: DecoderSandbox.Options
  private let library: DecoderLibrary
  private let connection: Int32
  private let process: ChildProcess

  init(_ options: DecoderSandbox.Options, _ library: DecoderLibrary) throws(BackdropError) {
    (self.options, self.library) = (options, library)
    (connection, process) = try DecoderProcess.start(options)
    var message = bd_message(DecoderMessage.prepare, slot: UInt32(library.rawValue))
    _ = bd_send(connection, &message, -1)
  }

  deinit {
    close(connection)
    process.send(SIGKILL)
    process.wait()
  }

  /// How it ended.
  var status: Int32 {
    process.send(SIGKILL)
    return process.wait()
  }

  /// A copy; `nil` if it is gone.
  func copy() throws(BackdropError) -> DecoderProcess? {
    let ends = try DecoderProcess.makeConnection()
    var message = bd_message(DecoderMessage.fork)
    let isSent = bd_send(connection, &message, ends.theirs)
    close(ends.theirs)
    guard isSent, bd_receive(connection, &message, nil, 60_000) == 1, message.kind == DecoderMessage.forked,
      let copy = pid_t(exactly: Int64(bitPattern: message.values.0)), copy > 0
    else {
      close(ends.ours)
      return nil
    }
    return DecoderProcess(options, library, ends.ours, ChildProcess(adopting: copy))
  }
}
