import Backdrop
import BackdropClouds
import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropLive
import BackdropLooks
import BackdropModels
import Dispatch
import Glibc
import Synchronization

/// The rooms in which a camera runs: Live and Depth. Passes between the pages and the live session.
final class LiveRoom: Sendable {
  private let hub: Hub
  private let session: LiveSession
  private let station: PreviewEncoder
  private let mailbox: BrowserMailbox
  private let shelf: BackgroundShelf
  private let files: DropFolder
  let saved: SavedFiles
  /// What pages ask for is done in order, one after the other.
  private let commands = Offload("commands")
  private let drawing = Offload("drawing")
  private let isRunning = Mutex(false)
  private let waiting = Atomic<Int>(0)
  /// The last recording that the pages were told of.
  private let recorded = Mutex<String?>(nil)
  private let virtualCamera = Mutex<(any BroadcastSink)?>(nil)

  /// Messages that may wait to be done.
  private static let maximumWaiting = 256

  init(_ options: StudioOptions, hub: Hub, files: DropFolder, networks: ModelCache) throws(BackdropError) {
    self.hub = hub
    self.files = files
    let mailbox = BrowserMailbox()
    self.mailbox = mailbox
    let inputs = LiveInputs { address, _ throws(BackdropError) in
      address == BrowserCamera.address ? BrowserCamera(mailbox) : nil
    }
    session = try LiveSession(options.live, inputs: inputs, networks: networks)
    station = PreviewEncoder(hub)
    shelf = BackgroundShelf()
    saved = SavedFiles(folder: options.folder)
    hub.listener.withLock { $0 = { [weak self] in self?.hear($0, $1) } }
    hub.receiver.withLock { $0 = { [weak self] in self?.receive($0, from: $1) } }
  }

  func start() {
    isRunning.withLock { $0 = true }
    station.start()
    session.add(preview: station)
    session.start()
    // A thread, since a timer would keep the queue that commands wait on.
    DetachedThread.start { [weak self] in
      while let room = self, room.isRunning.withLock({ $0 }) {
        room.tellState()
        usleep(400_000)
      }
    }
  }

  func stop() {
    let was = isRunning.withLock { running in
      defer { running = false }
      return running
    }
    if was { session.stop() }
  }

  /// Does what the person asks for by other ways than a page, who may name files.
  func perform(_ command: LiveCommand) throws(BackdropError) -> LiveStatus {
    try session.perform(command)
    return session.status
  }

  // MARK: - To the pages

  private func hear(_ event: Hub.Event, _ tab: Tab) {
    switch event {
    case .came:
      commands.start { [self] in
        if let text = StudioJSON.text(Hello(sources: LiveSources.list())) { tab.say(text) }
        if let text = StudioJSON.text(state()) { tab.say(text) }
      }
    case .changed, .hungry, .went: station.look()
    }
  }

  private func state() -> LiveState {
    let settings = session.settings
    return LiveState(
      status: session.status, camera: settings.camera,
      backgrounds: settings.backgrounds.map(shelf.entry),
      virtualCamera: virtualCamera.withLock { $0 == nil ? nil : settings.cameraName })
  }

  private func tellState() {
    guard !hub.tabs.isEmpty else { return }
    let state = state()
    station.adapt(state.status)
    hub.say(state)
    announceRecording(state.status)
    for note in session.takeNotes() {
      switch note.kind {
      case .camera, .trouble: hub.say(Note(text: note.line()))
      // The pages know of files by a link, of the standby frame by what is in its place, of pressure by the status line.
      case .standby, .file, .load: break
      }
    }
  }

  // MARK: - From the pages

  private func receive(_ message: Hub.Message, from tab: Tab) {
    switch message {
    case .data(let bytes): mailbox.put(bytes)
    case .text(let text):
      if text == "ack" {
        tab.acknowledge()
        station.look()
        return
      }
      let message: PageMessage
      do throws(BackdropError) {
        message = try PageMessage(text)
      } catch {
        return tell(error, to: tab)
      }
      // Who wants to be hidden is, before anything else that was asked for, whatever keeps it.
      if case .standby(let wanted) = message.command { return hide(wanted) }
      let isTaken = enqueue { [self] in attempt(message, from: tab) }
      if !isTaken { tab.close(code: 1008, "too many messages") }
    }
  }

  /// Does something when all that was asked for before is done; whether not too much waits already.
  private func enqueue(_ work: @escaping @Sendable () -> Void) -> Bool {
    guard waiting.add(1, ordering: .relaxed).newValue <= Self.maximumWaiting else {
      waiting.subtract(1, ordering: .relaxed)
      return false
    }
    commands.start { [self] in
      defer { waiting.subtract(1, ordering: .relaxed) }
      work()
    }
    return true
  }

  private func hide(_ wanted: Bool?) {
    do throws(BackdropError) {
      try session.perform(.standby(wanted))
    } catch {
      preconditionFailure("to be hidden cannot be refused: \(error)")
    }
    // Where too much waits the pages see it with the next state.
    _ = enqueue { [self] in hub.say(state()) }
  }

  private func attempt(_ message: PageMessage, from tab: Tab) {
    do throws(BackdropError) {
      try perform(message, from: tab)
    } catch {
      tell(error, to: tab)
    }
  }

  private func tell(_ error: BackdropError, to tab: Tab) {
    if let text = StudioJSON.text(Trouble(error: error.description, hint: error.hint)) { tab.say(text) }
  }

  private func perform(_ message: PageMessage, from tab: Tab) throws(BackdropError) {
    switch message.do {
    case "watch":
      guard let subscription = message.subscription else {
        throw BackdropError(.wrongArgument, "'watch' comes without a subscription")
      }
      tab.subscription = subscription.limited
      station.look()
      return
    case "ping":
      if let text = StudioJSON.text(Pong(name: message.name)) { tab.say(text) }
      return
    case "sources":
      if let text = StudioJSON.text(Hello(sources: LiveSources.list())) { tab.say(text) }
      return
    case "snapshot":
      let path = saved.name(ending: "jpg")
      try session.perform(.snapshot(path))
      return announce(path)
    case "record":
      let path = saved.name(ending: "mp4")
      try session.perform(.record(path, raw: nil))
    case "stop-recording":
      try session.perform(.stopRecording)
      announceRecording(session.status)
    case "virtual-camera": try changeVirtualCamera(message.value ?? false)
    default:
      guard let command = message.command else {
        throw BackdropError(.wrongArgument, "there is no command '\(message.do.prefix(40))'")
      }
      try check(command)
      try session.perform(command)
    }
    hub.say(state())
  }

  /// A page names no files: only what the studio knows by itself, and what was dropped on it.
  private func check(_ command: LiveCommand) throws(BackdropError) {
    switch command {
    case .background(let name):
      let isComputed =
        ["scene:", "#"].contains { name.hasPrefix($0) } || name.hasPrefix("blur") || name.hasPrefix("bokeh")
      guard isComputed || session.settings.backgrounds.contains(name) else {
        throw BackdropError(.wrongArgument, "the studio has no background of that name", hint: "drop it on the page")
      }
      guard FileKind(name) == .absent || session.settings.backgrounds.contains(name) else {
        throw BackdropError(.wrongArgument, "the studio has no background of that name", hint: "drop it on the page")
      }
    case .camera(let address):
      guard
        address == BrowserCamera.address || address == session.settings.camera || shelf.owns(address)
          || LiveSources.list().contains(where: { $0.address == address })
      else {
        throw BackdropError(.wrongArgument, "the studio has no camera of that name", hint: "choose one of the list")
      }
    case .look(let name):
      guard Look.named(name) != nil else {
        throw BackdropError(.wrongArgument, "the studio has no look of that name", hint: "choose one of the list")
      }
    case .addBackground, .snapshot, .record, .quit:
      throw BackdropError(.wrongArgument, "a page cannot do that")
    case .set(let name, _):
      if case .file = LiveSettings.parameters[name]?.kind {
        throw BackdropError(.wrongArgument, "a page cannot name files", hint: "set \(name) when the studio starts")
      }
    case .nextBackground, .previousBackground, .nextLook, .previousLook, .reset, .mirror, .freeze, .standby,
      .showRoom, .pause, .stopRecording, .status:
      break
    }
  }

  /// Starts the camera that call programs see, by PipeWire or by the first loopback device; or ends it.
  private func changeVirtualCamera(_ isWanted: Bool) throws(BackdropError) {
    let old = virtualCamera.withLock { $0 }
    guard isWanted else {
      guard let old else { return }
      virtualCamera.withLock { $0 = nil }
      session.remove(old)
      old.close()
      return
    }
    guard old == nil else { return }
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

  /// Tells the pages of a recording that has ended, also by a full disk.
  private func announceRecording(_ status: LiveStatus) {
    guard let path = status.recorded else { return }
    let isKnown = recorded.withLock { known in
      defer { known = path }
      return known == path
    }
    guard !isKnown else { return }
    announce(path)
  }

  /// Tells the pages of a file.
  private func announce(_ path: String) {
    saved.add(path)
    hub.say(Saved(name: SavedFiles.title(path)))
  }

  /// Whether a page brought a background of that name.
  func ownsBackground(_ name: String) -> Bool { shelf.owns(name) && session.settings.backgrounds.contains(name) }

  // MARK: - Requests

  func answer(_ parts: [String], _ request: Request) async throws -> Answer {
    switch parts.first {
    case "backgrounds" where parts.count == 3 && parts[2] == "small.jpg":
      let backgrounds = session.settings.backgrounds
      guard let index = Int(parts[1]), backgrounds.indices.contains(index) else { break }
      let name = backgrounds[index]
      let bytes = try await drawing.run { [shelf] in try shelf.thumbnail(name) }
      return Answer.bytes(bytes, type: "image/jpeg")
    case "cloud" where parts.count == 2:
      guard let kind = PointCloud.FileKind(rawValue: parts[1]) else { break }
      let picture = station.picture
      let bytes = try await drawing.run { try Self.cloud(picture, kind) }
      return Answer.bytes(bytes, type: "application/octet-stream", downloadAs: "backdrop.\(kind.rawValue)")
    case "saved" where parts.count == 2:
      guard let path = saved.path(parts[1]) else { break }
      return try Answer.file(path, downloadAs: parts[1])
    default: break
    }
    return .nothingHere
  }

  private static func cloud(_ picture: Preview?, _ kind: PointCloud.FileKind) throws(BackdropError) -> [UInt8] {
    guard let frame = picture?.scene, var depth = frame.depth, !depth.isEmpty else {
      throw BackdropError(.unsupported, "there is no depth now", hint: "take a camera with depth, or the simulated one")
    }
    if depth.intrinsics == nil {
      depth.intrinsics = try Intrinsics(fieldOfView: 60, width: depth.width, height: depth.height)
    }
    return try PointCloud(depth, picture: frame.image.converted(to: .rgba8)).file(kind)
  }

  /// Takes a picture or video that was dropped: as a background, or as a camera.
  func takeBackground(_ request: Request) async throws -> Answer {
    let name = String((request.value("name") ?? "picture").prefix(200))
    let isCamera = request.value("as") == "camera"
    let session = session
    let (files, shelf) = (files, shelf)
    try await commands.run {
      let path = try files.write(
        request.bytes, ending: String(name.split(separator: ".").last ?? "bin"), room: request.room)
      do throws(BackdropError) {
        // Opened before it is kept: a camera would be tried again and again.
        if isCamera { _ = try LiveInputs().open(path, request: session.settings.request) }
        shelf.add(path, title: name)
        try session.perform(isCamera ? .camera(path) : .addBackground(path))
      } catch {
        shelf.remove(path)
        files.remove(path)
        // The page knows it by its own name.
        throw BackdropError(error.kind, error.message, hint: error.remedy)
      }
    }
    hub.say(state())
    return try Answer.json(Saved(name: name))
  }
}
