import ArgumentParser
import BackdropImaging
import BackdropLive
import BackdropTerminal

struct CtlCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ctl", abstract: "Control a running live session.",
    discussion: LiveCommand.usages.map { usage in
      "  " + (usage.name + " " + usage.argument).padded(to: 24) + usage.summary
    }.joined(separator: "\n"))

  @Argument(help: ArgumentHelp("The command, such as: background scene:dunes", valueName: "command"))
  var words: [String]

  @Option(help: "The session's socket. Default: backdrop.sock in the runtime folder.") var socket: String?
  @Flag(help: "Print the session's state as JSON.") var json = false

  func run() throws {
    let command = try LiveCommand(words: words)
    let status = try ControlSocket.send(command, to: socket ?? ControlSocket.usualPath)
    if json { return try printJSON(status) }
    guard command == .status else { return }
    var lines = [
      "showing     " + (status.showing == .standby ? "standby" : status.showing == .frozen ? "a held picture" : "live"),
      "camera      " + (status.isCameraOn ? "\(status.camera) (\(status.cameraMode))" : "off"),
      "watching    \(status.watchers)",
      "frames      \(status.framesIn) in, \(status.framesOut) out a second, \(status.dropped) dropped"
        + (status.damaged > 0 ? ", \(status.damaged) damaged" : ""),
      "mattes      \(status.mattes) a second",
      "latency     \(status.latency50) ms, 95 % below \(status.latency95) ms",
      "processor   \(status.cpu) %" + (status.loadSummary.map { ", doing less: \($0)" } ?? ""),
      "background  \(status.background)", "look        \(status.look)",
    ]
    if let reason = status.reason { lines[0] += " (\(reason))" }
    if let file = status.recording { lines.append("recording   \(file)") }
    if let file = status.recorded { lines.append("recorded    \(file)") }
    if let fault = status.recordingFault { lines.append("recording ended: \(fault)") }
    for line in lines { try Terminal.print(Terminal.oneLine(line)) }
  }
}
