import BackdropImaging
import Foundation

/// What a person sees while the command runs: everything but results goes to standard error.
enum Terminal {
  static let isInteractive = isatty(STDERR_FILENO) == 1
  private static let hasColor = isInteractive && ProcessInfo.processInfo.environment["NO_COLOR"] == nil

  static func say(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  static func warn(_ text: String) { say(paint("warning:", "33") + " " + text) }
  static func note(_ text: String) { say(paint("note:", "36") + " " + text) }

  /// Prints the error and ends the program: 130 for an interruption, else 2.
  static func fail(_ error: BackdropError) -> Never {
    if error.kind == .interrupted {
      say("interrupted; nothing was written")
      exit(Interruption.exitCode)
    }
    say(paint("error:", "31;1") + " " + oneLine(error.description))
    if let hint = error.hint { say(paint("hint:", "36") + " " + oneLine(hint)) }
    exit(2)
  }

  private static func paint(_ text: String, _ code: String) -> String {
    hasColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// A path may hold anything, also line breaks and escape sequences.
  private static func oneLine(_ text: String) -> String {
    String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : Character($0) })
  }
}

/// Whether the user pressed Ctrl-C (or sent SIGTERM): jobs look between frames, give up, and leave nothing behind.
enum Interruption {
  // Written by the signal handler, read by the jobs: a C integer that is set once.
  nonisolated(unsafe) private static var signal: sig_atomic_t = 0

  static var isRequested: Bool { signal != 0 }
  static var exitCode: Int32 { 128 + (signal == 0 ? SIGINT : Int32(signal)) }

  static func install() {
    // A reader that goes away is an error of `write`, not the end of the program.
    Foundation.signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { number in
        // A second signal ends the program at once.
        if Interruption.signal != 0 { _exit(128 + number) }
        Interruption.signal = sig_atomic_t(number)
      }
      sigaction(number, &action, nil)
    }
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
      line += String(format: "%3.0f%%  %d/%d frames  %.1f/s", part * 100, done, total, rate)
      if rate > 0 { line += "  " + clock(Double(max(0, total - done)) / rate) + " left" }
    } else {
      line += String(format: "%d frames  %.1f/s", done, rate)
    }
    FileHandle.standardError.write(Data(line.utf8))
  }

  func finish() {
    if lastShown != nil { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
  }

  private func clock(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 359_999).rounded(.up))
    return String(format: "%d:%02d", whole / 60, whole % 60)
  }
}
