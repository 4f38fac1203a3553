import Libc

/// Writes to a descriptor that another program reads, such as standard output. If the reader closes it, writing throws an error and the
/// process continues.
///
/// The first instance in a process ignores SIGPIPE if that had its default action. The caller owns and closes the descriptor.
package struct PipeWriter: Sendable {
  private let descriptor: Int32
  /// The name of its contents, for messages.
  private let contents: String

  /// - Parameter contents: the name of its contents, as in "Backdrop cannot write the video stream".
  package init(descriptor: Int32, contents: String) {
    var action = sigaction()
    if sigaction(SIGPIPE, nil, &action) == 0, action.usesDefault { signal(SIGPIPE, SIG_IGN) }
    (self.descriptor, self.contents) = (descriptor, contents)
  }

  /// Writes all bytes.
  ///
  /// - Throws: `interrupted` if the reader left, `system`.
  package func write(_ bytes: Span<UInt8>) throws(BackdropError) {
    let failure = FileDescriptor(descriptor).write(bytes)
    guard failure != 0 else { return }
    guard failure != EPIPE else { throw BackdropError(.interrupted, "the program that reads \(contents) went away") }
    throw BackdropError(
      .system, "Backdrop cannot write \(contents) (\(systemReason(failure)))",
      hint: OutputFile.isFull(failure) ? "free some space, or choose another place" : nil)
  }
}

extension sigaction {
  fileprivate var usesDefault: Bool {
    #if canImport(Glibc)
      __sigaction_handler.sa_handler == nil
    #else
      __sigaction_u.__sa_handler == nil
    #endif
  }
}
