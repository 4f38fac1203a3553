import Backdrop
import Libc

/// The command's output for its user: everything except results goes to standard error.
package enum Terminal {
  package static let isInteractive = isatty(STDERR_FILENO) == 1
  private static let hasColor = isInteractive && ProcessEnvironment["NO_COLOR"] == nil

  package static func say(_ text: String) { writeToStandardError(text + "\n") }

  /// Writes to standard error, and ignores a closed one.
  package static func writeToStandardError(_ text: String) { _ = write(text, to: STDERR_FILENO) }

  /// Prints a result. If the reader has closed the pipe, the program ends silently.
  package static func print(_ text: String) throws(BackdropError) {
    let failure = write(text + "\n", to: STDOUT_FILENO)
    guard failure != 0 else { return }
    guard failure != EPIPE else { Interruption.endAsClosedPipe() }
    throw BackdropError(
      .system, "Backdrop cannot write to standard output (\(systemReason(failure)))",
      hint: OutputFile.isFull(failure) ? "free some space, or choose another place" : "check where the output goes")
  }

  /// Writes the whole text; returns the error number, or 0.
  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    FileDescriptor(descriptor).write(Array(text.utf8).span)
  }

  package static func warn(_ text: String) { say(paint("warning:", "33") + " " + oneLine(text)) }
  package static func warn(_ warning: Warning) { warn(warning.line(\.sentence)) }
  /// Prints each different warning once, in one line, up to a screenful.
  package static func warn(_ warnings: [Warning]) { for warning in Warning.folded(warnings) { warn(warning) } }
  package static func note(_ text: String) { say(paint("note:", "36") + " " + oneLine(text)) }

  /// Asks for a secret without echo; `nil` if standard input is not a terminal.
  package static func secret(_ question: String) -> String? {
    var usual = termios()
    guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &usual) == 0 else { return nil }
    var hidden = usual
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
      writeToStandardError("\n")
    }
    writeToStandardError(question)
    return readLine()
  }

  /// Ends the program successfully without freeing its work. The system frees all memory at once, while freeing networks piece by piece
  /// takes longer than a small picture. All output must already be written.
  package static func end(keeping work: some Any) -> Never {
    withExtendedLifetime(work) { _exit(0) }
  }

  /// Prints the error and ends the program, with `Interruption.exitCode` for an interruption, else with 2.
  package static func fail(_ error: BackdropError) -> Never {
    if error.kind == .interrupted {
      say("interrupted; Backdrop wrote nothing")
      exit(Interruption.exitCode)
    }
    say(paint("error:", "31;1") + " " + oneLine(error.description))
    if let hint = error.hint { say(paint("hint:", "36") + " " + oneLine(hint.sentence)) }
    exit(2)
  }

  private static func paint(_ text: String, _ code: String) -> String {
    hasColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// Makes a text printable in one line: a path may contain line breaks, escape sequences and bytes that are not text.
  package static func oneLine(_ text: String) -> String { FilePath.readable(text).oneLine }

  /// Formats seconds as minutes and seconds: `12:05`.
  package static func clock(_ seconds: Int) -> String { "\(seconds / 60):" + Double(seconds % 60).text("%02.0f") }
}

/// Writes a value as JSON to standard output, or to standard error if standard output carries a video.
package func printJSON(_ value: some Encodable, toStandardError: Bool = false) throws(BackdropError) {
  var writer = JSONWriter(isPretty: true, notFinite: .texts(infinity: "inf", nan: "nan"))
  let wording: Hint.Wording = { $0.sentence }
  writer.userInfo[Hint.wordingKey] = wording
  let text: String
  do {
    text = String(decoding: try writer.encode(value), as: UTF8.self)
  } catch {
    preconditionFailure("a summary that cannot be encoded: \(error)")
  }
  guard !toStandardError else { return Terminal.say(text) }
  try Terminal.print(text)
}

extension Terminal {
  /// Warns of everything that went wrong without stopping a job.
  package static func warn(of summary: JobSummary) {
    warn(
      summary.warnings + summary.skipped.warnings("was left out", "were left out")
        + summary.standby.warnings("shows the standby frame", "show the standby frame"))
  }
}
