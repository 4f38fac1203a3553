import Libc

/// Whether the user pressed Ctrl-C (or sent SIGTERM): jobs check this between frames, stop, and leave no partial output behind.
package enum Interruption {
  // The signal handler writes this C integer once, and jobs read it.
  nonisolated(unsafe) private static var signal: sig_atomic_t = 0

  package static var isRequested: Bool { signal != 0 }
  package static var exitCode: Int32 { 128 + (signal == 0 ? SIGINT : Int32(signal)) }

  package static func install() {
    // A file that gets the descriptor of a closed standard stream would receive that stream's data; with `/dev/null` in its place,
    // writing fails.
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 { _ = open("/dev/null", O_RDONLY) }
    // If the reader closes a pipe, `write` returns an error instead of ending the program.
    Libc.signal(SIGPIPE, SIG_IGN)
    // The same applies to a file that exceeds the size limit (`ulimit -f`).
    Libc.signal(SIGXFSZ, SIG_IGN)
    var wanted = sigset_t()
    sigemptyset(&wanted)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      // Under `nohup`, the work continues when the terminal closes.
      if number == SIGHUP, sigaction(number, nil, &action) == 0, action.isIgnored { continue }
      action = sigaction()
      sigaddset(&wanted, number)
      action.__sigaction_handler.sa_handler = { number in
        // A second signal ends the program at once.
        if Interruption.signal != 0 { _exit(128 + number) }
        Interruption.signal = sig_atomic_t(number)
      }
      sigaction(number, &action, nil)
    }
    // A program that was started from a worker thread may inherit blocked signals.
    pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
  }
}

extension Interruption {
  /// Ends the program silently with SIGPIPE, as when `head` closes its pipe; a shell shows 141. The output is incomplete, so 0 would be
  /// wrong.
  package static func endAsClosedPipe() -> Never {
    Libc.signal(SIGPIPE, SIG_DFL)
    var wanted = sigset_t()
    sigemptyset(&wanted)
    sigaddset(&wanted, SIGPIPE)
    pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    raise(SIGPIPE)
    exit(128 + SIGPIPE)
  }
}

extension sigaction {
  fileprivate var isIgnored: Bool {
    // SIG_IGN is the number 1 instead of an address.
    unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
