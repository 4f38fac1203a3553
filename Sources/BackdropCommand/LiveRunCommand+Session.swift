import BackdropImaging
import BackdropLive
import BackdropTerminal

/// A live session on a terminal: opens its outputs, handles keys and the control socket, and shows its status.
extension LiveRunCommand {
  func run(_ settings: LiveSettings) throws(BackdropError) {
    for name in settings.outputs { try StandardStreams.checkOutput(name) }
    let kinds = try settings.outputs.map { (name) throws(BackdropError) in try LiveOutputs.Kind(name) }
    let files = kinds.compactMap { kind in if case .file(let path) = kind { path } else { nil } }
    guard files.count <= 1 else {
      throw BackdropError(.wrongArgument, "a session writes one video file at a time", hint: "remove the other files")
    }
    guard raw == nil || !files.isEmpty else {
      throw BackdropError(.wrongArgument, "--save-recording works only beside a video file", hint: "add -o talk.mp4")
    }
    let session = try LiveSession(settings)
    defer { session.stop() }
    for kind in kinds {
      if let output = try LiveOutputs.open(kind, settings) { session.add(output) }
    }
    let isOver = EndRequest()
    let socket = try ControlSocket.open(self.socket ?? ControlSocket.usualPath) { (command) throws(BackdropError) in
      try session.perform(command)
      if case .quit = command { isOver.raise() }
      return session.status
    }
    defer { socket.close() }
    try session.start()
    if let file = files.first { try session.perform(.record(file, raw: raw)) }
    let fault = watch(session, isOver, file: files.first, recordsOnly: files.count == kinds.count)
    let status = session.status
    if !files.isEmpty, status.recording != nil {
      // The recording may end by itself at this moment.
      do throws(BackdropError) { try session.perform(.stopRecording) } catch { throw session.recordingFault ?? error }
    }
    session.stop()
    printNotes(of: session)
    if json { try printJSON(status, toStandardError: settings.outputs.contains("-")) }
    // The file requested at the start is incomplete.
    if let fault { throw fault }
  }

  /// Runs until a key, a signal or another program ends the session, or until a fault ends a recording that is its only
  /// output.
  ///
  /// - Parameter file: the recording to start with.
  /// - Returns: the error that ended the recording; `nil` if there was none.
  private func watch(_ session: LiveSession, _ isOver: EndRequest, file: String?, recordsOnly: Bool) -> BackdropError? {
    let keys = LiveKeys(session, isQuiet: quiet)
    defer { keys.restore() }
    let start = ContinuousClock.now
    var lastLine = start
    // Only the fault of the first recording matters; another may have begun since.
    var fault: BackdropError? { file == nil ? nil : session.firstRecordingFault }
    if !quiet { Terminal.say("backdrop live: " + keys.greeting) }
    while !Interruption.isRequested && !isOver.isRaised {
      if let seconds, ContinuousClock.now - start >= .seconds(seconds) { break }
      if keys.wait(milliseconds: 100) == .quit { break }
      printNotes(of: session)
      if recordsOnly, fault != nil { break }
      guard !quiet, Terminal.isInteractive, ContinuousClock.now - lastLine > .milliseconds(500) else { continue }
      lastLine = .now
      Terminal.writeToStandardError("\r\u{1B}[K" + line(session.status, keys))
    }
    if !quiet && Terminal.isInteractive { Terminal.writeToStandardError("\r\u{1B}[K") }
    return fault
  }

  private func printNotes(of session: LiveSession) {
    for note in session.drainNotes() where !quiet {
      Terminal.say((Terminal.isInteractive ? "\r\u{1B}[K" : "") + Terminal.oneLine(note.line(\.sentence)))
    }
  }

  private func line(_ status: LiveStatus, _ keys: LiveKeys) -> String {
    var parts: [String] = []
    switch status.showing {
    case .scene: parts.append("live")
    case .standby: parts.append("standby" + (status.reason.map { " (\($0))" } ?? ""))
    case .frozen: parts.append("frozen")
    }
    parts.append(status.framesIn.text("%.0f in ") + status.framesOut.text("%.0f out"))
    parts.append(status.mattes.text("%.0f mattes/s"))
    parts.append(status.latency50.text("%.0f/") + status.latency95.text("%.0f ms"))
    parts.append("\(status.dropped) dropped" + (status.damaged > 0 ? ", \(status.damaged) damaged" : ""))
    parts.append(status.cpu.text("cpu %.0f%%"))
    parts.append(status.watchers == 1 ? "1 watches" : "\(status.watchers) watch")
    if let step = status.loadSummary { parts.append(step) }
    if status.recording != nil {
      let clock = Terminal.clock(Int(status.recordingSeconds ?? 0))
      parts.append("recording \(clock)" + (status.recordsSound == true ? " with sound" : ""))
    }
    if status.recordingFault != nil { parts.append("the recording ended") }
    if let parameter = keys.parameterText { parts.append(parameter) }
    return Terminal.oneLine(parts.joined(separator: "  "))
  }
}
