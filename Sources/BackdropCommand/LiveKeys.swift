import BackdropImaging
import BackdropLive
import BackdropLooks
import BackdropTerminal
import Libc

/// The keys that control a live session from its terminal.
final class LiveKeys {
  enum Outcome { case none, quit }

  private let session: LiveSession
  private let isQuiet: Bool
  private var before: termios?
  private var parameter: Parameter?

  /// Reads keys if there is a terminal.
  init(_ session: LiveSession, isQuiet: Bool) {
    (self.session, self.isQuiet) = (session, isQuiet)
    guard isatty(STDIN_FILENO) == 1, Terminal.isInteractive else { return }
    var mode = termios()
    guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
    before = mode
    readKeys()
  }

  var greeting: String { before == nil ? "Ctrl-C ends it" : "? for the keys, q ends it" }

  /// The parameter for the arrow keys, and its value.
  var parameterText: String? {
    guard let parameter else { return nil }
    let text =
      switch value(of: parameter) {
      case .number(let number): number.text("%.3g") + parameter.unit
      case .toggle, .text: value(of: parameter)?.description ?? ""
      case nil: parameter.usual
      }
    return "\(parameter.name) \(text)"
  }

  /// Restores the terminal's settings.
  func restore() {
    guard var mode = before else { return }
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }

  /// Waits for a key and acts on it.
  func wait(milliseconds: Int32) -> Outcome {
    guard before != nil else {
      usleep(UInt32(milliseconds) * 1000)
      return .none
    }
    readKeys()
    var poll = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard Libc.poll(&poll, 1, milliseconds) > 0 else { return .none }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = bytes.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
    guard count > 0 else {
      // A lost terminal is always ready but sends no keys, so this avoids a busy loop.
      usleep(UInt32(milliseconds) * 1000)
      return .none
    }
    do throws(BackdropError) {
      return try press(String(decoding: bytes[..<count], as: UTF8.self))
    } catch {
      say(error.description + (error.hint.map { " (\($0.sentence))" } ?? ""))
      return .none
    }
  }

  /// Switches the terminal to single keys, again after a shell has reset it while the program was stopped.
  private func readKeys() {
    var mode = termios()
    guard tcgetpgrp(STDIN_FILENO) == getpgrp(), tcgetattr(STDIN_FILENO, &mode) == 0,
      mode.c_lflag & tcflag_t(ICANON) != 0
    else { return }
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }

  private func press(_ key: String) throws(BackdropError) -> Outcome {
    switch key {
    case "n": try session.perform(.nextBackground)
    case "p": try session.perform(.previousBackground)
    case "l": try session.perform(.nextLook)
    case "L": try session.perform(.previousLook)
    case "m": try session.perform(.mirror(nil))
    case "f": try session.perform(.freeze(nil))
    case " ": try session.perform(.standby(nil))
    case "z": try session.perform(.pause(nil))
    case "s": try session.perform(.snapshot(name("heic")))
    case "r":
      try session.perform(session.status.recording == nil ? .record(name("mp4"), raw: nil) : .stopRecording)
    case "\t": chooseParameter()
    case "\u{1B}[A", "\u{1B}[C", "+": try move(1)
    case "\u{1B}[B", "\u{1B}[D", "-": try move(-1)
    case "?", "h": help()
    case "q", "\u{4}": return .quit
    default: break
    }
    return .none
  }

  private func help() {
    say(
      """
      n p  next, previous background     l L  next, previous look      m  mirror       f  freeze
      space  standby                     z  pause the camera           s  photo        r  record
      tab  choose a parameter            arrows  change it             q  quit
      """)
  }

  private func say(_ text: String) {
    guard !isQuiet else { return }
    for line in text.split(separator: "\n") { Terminal.say("\r\u{1B}[K" + Terminal.oneLine(String(line))) }
  }

  private func name(_ fileExtension: String) -> String { "backdrop-\(LocalTime.stamp).\(fileExtension)" }

  private var parameters: [Parameter] {
    let look = Look.named(session.settings.look)
    return (look?.parameters ?? []) + LiveSettings.parameters.parameters.filter(\.isTurnable)
  }

  private func chooseParameter() {
    let all = parameters
    let index = all.firstIndex { $0.name == parameter?.name } ?? -1
    parameter = all[(index + 1) % all.count]
    if let parameter { say("\(parameter.name): \(parameter.summary)") }
  }

  private func value(of parameter: Parameter) -> ParameterValue? {
    let settings = session.settings
    if let number = settings.values[parameter.name] { return .number(number) }
    return LiveSettings.parameters.values(of: settings)[parameter.name] ?? parameter.default
  }

  private func move(_ steps: Int) throws(BackdropError) {
    if parameter == nil { chooseParameter() }
    guard let parameter else { return }
    if let wanted = parameter.stepped(from: value(of: parameter), by: steps) {
      try session.perform(.set(parameter.name, wanted))
    }
  }
}

extension Parameter {
  /// Whether keys can change it while a session runs.
  fileprivate var isTurnable: Bool { !isFixedAtStart && stepped(from: nil, by: 1) != nil }
}
