import Backdrop
import BackdropHTTP
import BackdropLive

// Requests from pages.

extension LiveWorkspace {
  func perform(_ message: PageMessage, from tab: Tab) throws(BackdropError) {
    switch message.do {
    case "watch":
      guard let subscription = message.subscription else {
        throw BackdropError(.wrongArgument, "the message 'watch' has no subscription")
      }
      tab.subscription = subscription.limited
      encoder.wakeUp()
      return
    case "ping":
      return tab.send(Message(is: "pong", name: message.name))
    case "sources":
      return tab.send(hello())
    case "snapshot":
      let path = saved.name(fileExtension: "jpg")
      try session.perform(.snapshot(path))
      return announce(path)
    case "record":
      let path = saved.name(fileExtension: "mp4")
      try session.perform(.record(path, raw: nil))
    case "stop-recording":
      try session.perform(.stopRecording)
      announceRecording(session.status)
    case "save-preset": try savePreset(message.name ?? "")
    case "preset": try usePreset(message.name ?? "")
    case "remove-preset":
      kept.withLock { $0.presets.removeAll { $0.name == message.name } }
    case "virtual-camera": try changeVirtualCamera(message.value ?? false)
    default:
      guard let command = message.command else {
        throw BackdropError(.wrongArgument, "there is no command '\(message.do.prefix(40))'")
      }
      try check(command)
      try session.perform(command)
      forget(command)
    }
    hub.say(state())
  }

  /// Removes dropped files that are unused, and notes that a camera was chosen.
  private func forget(_ command: LiveCommand) {
    switch command {
    case .removeBackground(let name) where library.owns(name):
      library.remove(name)
      FileCalls.removeFile(name)
    case .camera: kept.withLock { $0.hasChosen = true }
    default: break
    }
  }

  /// Refuses paths from a page: it may use only names that the studio gave, and files dropped on it.
  private func check(_ command: LiveCommand) throws(BackdropError) {
    switch command {
    case .background(let name):
      guard BackgroundChoice(computed: name) != nil || session.settings.backgrounds.contains(name) else {
        throw BackgroundLibrary.unknown
      }
    case .camera(let address):
      guard
        address == BrowserCamera.address || address == session.settings.camera || library.owns(address)
          || LiveSources.list().contains(where: { $0.address == address })
      else {
        throw BackdropError(.wrongArgument, "the studio has no camera with that name", hint: "choose one from the list")
      }
    case .look(let name):
      guard Look.named(name) != nil else {
        throw BackdropError(.wrongArgument, "the studio has no look with that name", hint: "choose one from the list")
      }
    case .addBackground(let name) where BackgroundChoice(computed: name) != nil: break
    case .addBackground, .snapshot, .record, .quit:
      throw BackdropError(.wrongArgument, "the page cannot do that")
    case .set(let name, _):
      if case .file = LiveSettings.parameters[name]?.kind {
        throw BackdropError(.wrongArgument, "the page cannot name files", hint: "set \(name) when the studio starts")
      }
    case .removeBackground, .nextBackground, .previousBackground, .nextLook, .previousLook, .reset, .mirror, .freeze,
      .standby, .showRealBackground, .pause, .stopRecording, .status:
      break
    }
  }

  /// Starts the virtual camera for call programs, through PipeWire or the first loopback device; or ends it.
  private func changeVirtualCamera(_ isWanted: Bool) throws(BackdropError) {
    guard isWanted else {
      guard let old = virtualCamera.withLock({ $0.take() }) else { return }
      session.remove(old)
      return old.close()
    }
    guard virtualCamera.withLock({ $0 == nil }) else { return }
    let output: (any BroadcastSink)?
    do throws(BackdropError) {
      output = try LiveOutputs.open(.pipewire, session.settings)
    } catch {
      guard let loopback = LiveSources.loopback else { throw error }
      output = try LiveOutputs.open(.loopback(loopback), session.settings)
    }
    guard let output else { return }
    virtualCamera.withLock { $0 = output }
    session.add(output)
  }

  /// Tells the pages about a finished recording, including one ended by a full disk.
  func announceRecording(_ status: LiveStatus) {
    guard let path = status.recorded else { return }
    let last = recorded.withLock { exchange(&$0, with: path) }
    guard last != path else { return }
    announce(path)
  }

  /// Tells the pages about a saved file.
  private func announce(_ path: String) {
    saved.add(path)
    hub.say(Message(is: "saved", name: FileName(path).whole))
  }
}
