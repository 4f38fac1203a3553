import Backdrop
import BackdropImaging
import Libc

/// The output for a person while the command runs: everything but results goes to standard error.
enum Terminal {
  static let isInteractive = isatty(STDERR_FILENO) == 1
  private static let hasColor = isInteractive && ProcessEnvironment["NO_COLOR"] == nil

  static func say(_ text: String) { tell(text + "\n") }

  /// Writes to standard error, and ignores a closed one.
  static func tell(_ text: String) { _ = write(text, to: STDERR_FILENO) }

  /// Prints a result. A reader that has seen enough ends the program quietly.
  ///
  /// - Throws: `system` if standard output cannot be written to.
  static func print(_ text: String) throws(BackdropError) {
    let failure = write(text + "\n", to: STDOUT_FILENO)
    guard failure != 0 else { return }
    guard failure != EPIPE else { Interruption.endAsClosedPipe() }
    throw BackdropError(
      .system, "Backdrop cannot write to standard output (\(String(cString: strerror(failure))))",
      hint: failure == ENOSPC ? "free some space, or choose another place" : "check where the output goes")
  }

  /// Writes all of it; the error's number, or 0.
  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Libc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        return errno
      }
      rest = rest.dropFirst(count)
    }
    return 0
  }

  static func warn(_ text: String) { say(paint("warning:", "33") + " " + oneLine(text)) }
  static func warn(_ warning: Warning) { warn(warning.line(\.sentence)) }
  /// Warns of each thing once, a line each, and of no more than a screen holds.
  static func warn(_ warnings: [Warning]) { for warning in Warning.folded(warnings) { warn(warning) } }
  static func note(_ text: String) { say(paint("note:", "36") + " " + oneLine(text)) }

  /// Asks for something that is not shown while it is typed; `nil` where there is nobody to ask.
  static func secret(_ question: String) -> String? {
    var usual = termios()
    guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &usual) == 0 else { return nil }
    var hidden = usual
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
      tell("\n")
    }
    tell(question)
    return readLine()
  }

  /// Ends the program with success while its work is still in memory: the system takes that back at once, networks piece by piece, which
  /// takes longer than a small picture. All that it writes has been written.
  static func end(keeping work: some Any) -> Never {
    withExtendedLifetime(work) { _exit(0) }
  }

  /// Prints the error and ends the program: 130 for an interruption, else 2.
  static func fail(_ error: BackdropError) -> Never {
    if error.kind == .interrupted {
      say("interrupted; Backdrop wrote nothing")
      exit(Interruption.exitCode)
    }
    say(paint("error:", "31;1") + " " + oneLine(error.description))
    if let remedy = error.remedy { say(paint("hint:", "36") + " " + oneLine(remedy.sentence)) }
    exit(2)
  }

  private static func paint(_ text: String, _ code: String) -> String {
    hasColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// A path may hold anything, also line breaks, escape sequences and bytes that are no text.
  static func oneLine(_ text: String) -> String { FilePath.readable(text).oneLine }

  /// Whole seconds as people write a length of time: `12:05`.
  static func clock(_ seconds: Int) -> String { "\(seconds / 60):" + Double(seconds % 60).text("%02.0f") }
}

/// Writes a value as JSON to standard output, or to standard error where that carries a video.
func printJSON(_ value: some Encodable, toStandardError: Bool = false) throws(BackdropError) {
  var writer = JSONWriter(isPretty: true, notFinite: .texts(infinity: "inf", nan: "nan"))
  let wording: Remedy.Wording = { $0.sentence }
  writer.userInfo[Remedy.wordingKey] = wording
  let text: String
  do {
    text = String(decoding: try writer.encode(value), as: UTF8.self)
  } catch {
    preconditionFailure("a summary that cannot be encoded: \(error)")
  }
  guard !toStandardError else { return Terminal.say(text) }
  try Terminal.print(text)
}

/// Whether the user pressed Ctrl-C (or sent SIGTERM): jobs look between frames, give up, and leave nothing behind.
enum Interruption {
  // Written by the signal handler, read by the jobs: a C integer that is set once.
  nonisolated(unsafe) private static var signal: sig_atomic_t = 0

  static var isRequested: Bool { signal != 0 }
  static var exitCode: Int32 { 128 + (signal == 0 ? SIGINT : Int32(signal)) }

  static func install() {
    // A file opened under the number of a closed stream would get what is meant for that; like this, writing fails.
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 { _ = open("/dev/null", O_RDONLY) }
    // A reader that goes away is an error of `write`, not the end of the program.
    Libc.signal(SIGPIPE, SIG_IGN)
    var wanted = sigset_t()
    sigemptyset(&wanted)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      // nohup: the work goes on when the terminal goes away.
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
    // Programs that start others from a worker thread hand their blocked signals on.
    pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
  }
}

extension Interruption {
  /// Ends the program silently by SIGPIPE, as when `head` closes its pipe, which a shell
  /// shows as 141. What it was to write is not all written, so 0 would be a lie.
  static func endAsClosedPipe() -> Never {
    Libc.signal(SIGPIPE, SIG_DFL)
    var wanted = sigset_t()
    sigemptyset(&wanted)
    sigaddset(&wanted, SIGPIPE)
    pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    raise(SIGPIPE)
    exit(128 + SIGPIPE)
  }
}

/// A line that shows how far a job is, on a terminal only.
struct Progress {
  private let total: Int?
  private let start = ContinuousClock.now
  private var lastShown: ContinuousClock.Instant?
  private let isShown: Bool

  init(total: Int?, isShown: Bool) {
    self.total = total
    self.isShown = isShown && Terminal.isInteractive
  }

  mutating func update(done: Int) {
    guard isShown else { return }
    let now = ContinuousClock.now
    if let lastShown, now - lastShown < .milliseconds(100) { return }
    lastShown = now
    let seconds = (now - start) / .seconds(1)
    let rate = seconds > 0 ? Double(done) / seconds : 0
    var line = "\r\u{1B}[K"
    if let total, total > 0 {
      let part = min(1, Double(done) / Double(total))
      let filled = Int(part * 24)
      line += "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: 24 - filled) + "] "
      line += (part * 100).text("%3.0f%%  ") + "\(done)/\(total) frames  " + rate.text("%.1f/s")
      if rate > 0 {
        let left = min(Double(max(0, total - done)) / rate, 359_999).rounded(.up)
        line += "  " + Terminal.clock(Int(left)) + " left"
      }
    } else {
      line += "\(done) frames  " + rate.text("%.1f/s")
    }
    Terminal.tell(line)
  }

  func finish() {
    if lastShown != nil { Terminal.tell("\r\u{1B}[K") }
  }
}

extension sigaction {
  fileprivate var isIgnored: Bool {
    // SIG_IGN is the number 1 in place of an address.
    unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}

extension Terminal {
  /// Warns of all that went not quite as it should in a job.
  static func warn(of summary: JobSummary) {
    warn(
      summary.warnings + summary.skipped.warnings("was left out", "were left out")
        + summary.standby.warnings("shows the standby frame", "show the standby frame"))
  }
}
