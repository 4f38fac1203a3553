import Backdrop
import BackdropHTTP
import BackdropLive
import Libc
import Synchronization

/// The workspaces with a camera: Live and Depth. It connects the pages with the live session.
final class LiveWorkspace: Sendable {
  let hub: Hub
  let session: LiveSession
  let encoder: PreviewEncoder
  private let mailbox: BrowserMailbox
  let library: BackgroundLibrary
  let files: DropFolder
  let saved: SavedFiles
  /// The workspace handles the pages' requests in order.
  let commands = Offload("commands")
  let drawing = Offload("drawing")
  /// The tiles of looks, which only the queue `drawing` uses, and the seconds for which they show one moment. One thread draws them, so
  /// that the camera keeps the others.
  let tiles = UncheckedTransfer(LookTiles(workers: WorkerPool(threads: 1), networks: ModelCache()))
  static let tileSeconds = 10.0
  /// Checks of the desktop take seconds, so they have their own queue.
  let checks = Offload("checks")
  private let isRunning = Mutex(false)
  private let waiting = Atomic<Int>(0)
  /// The page whose microphone is recorded.
  private let speaker = Mutex<Int?>(nil)
  /// The last recording known to the pages.
  let recorded = Mutex<String?>(nil)
  let virtualCamera = Mutex<(any BroadcastSink)?>(nil)

  /// The maximum number of messages that may wait.
  private static let maximumWaiting = 256

  /// Saves the state for the next start.
  let keeping: SessionFolder
  let kept = Mutex<(presets: [LivePreset], hasChosen: Bool, saved: KeptLive?)>(([], true, nil))
  /// The folder of dropped files.
  let droppedFilesPath: String

  init(_ options: StudioOptions, hub: Hub, files: DropFolder, keeping: SessionFolder) throws(BackdropError) {
    (self.keeping, self.hub, self.files) = (keeping, hub, files)
    droppedFilesPath = try keeping.folder("live")
    let mailbox = BrowserMailbox()
    self.mailbox = mailbox
    let inputs = LiveInputs { address, _ throws(BackdropError) in
      address == BrowserCamera.address ? BrowserCamera(mailbox) : nil
    }
    let before = keeping.load(KeptLive.self, "live")
    session = try Self.open(options, before, inputs)
    encoder = PreviewEncoder(hub)
    library = BackgroundLibrary()
    saved = SavedFiles(folder: options.folder)
    hub.listener.withLock { $0 = { [weak self] in self?.handle($0, $1) } }
    resume(before, options)
  }

  func start() throws(BackdropError) {
    isRunning.withLock { $0 = true }
    try encoder.start()
    session.add(preview: encoder)
    try session.start()
    // This is a thread because a timer would block the queue that commands need.
    try DetachedThread.start { [weak self] in
      while let workspace = self, workspace.isRunning.withLock({ $0 }) {
        workspace.sendState()
        workspace.keep()
        usleep(400_000)
      }
    }
  }

  func stop() {
    let wasRunning = isRunning.withLock { exchange(&$0, with: false) }
    if wasRunning { session.stop() }
    keep()
  }

  /// Performs a command that does not come from a page, and may therefore name files.
  func perform(_ command: LiveCommand) throws(BackdropError) -> LiveStatus {
    try session.perform(command)
    return session.status
  }

  // MARK: - To the pages

  func hello() -> Hello {
    let request = session.settings.request
    return Hello(
      sources: LiveSources.list(), hasMicrophone: PipeWireMicrophone.isThere,
      minimumBlur: LegibleBlur.Kind.allCases.reduce(into: [:]) {
        $0[$1.rawValue] = LegibleBlur.least($1, width: request.width, height: request.height)
      })
  }

  func state() -> LiveState {
    let settings = session.settings
    // The page knows a file by its name, without its folder.
    let title =
      library.title(settings.camera) ?? (FileKind(settings.camera) == .file ? FileName(settings.camera).whole : nil)
    var status = session.status
    if let title {
      status.camera = title
      status.reason = status.reason?.replacing(settings.camera, with: title)
    }
    let (presets, hasChosen) = kept.withLock { ($0.presets.map(\.name), $0.hasChosen) }
    return LiveState(
      status: status, camera: settings.camera, title: title ?? status.camera,
      backgrounds: settings.backgrounds.map(library.entry),
      virtualCamera: virtualCamera.withLock { $0 == nil ? nil : settings.cameraName },
      mustChoose: !hasChosen, presets: presets)
  }

  private func sendState() {
    guard !hub.tabs.isEmpty else { return }
    let state = state()
    encoder.adapt(state.status)
    hub.say(state)
    announceRecording(state.status)
    for note in session.drainNotes() {
      switch note.kind {
      case .trouble: hub.say(Message(is: "note", text: note.line()))
      // Pages get a link to each file, see the camera and the standby frame in the picture, and read the load in the
      // status line.
      case .camera, .standby, .file, .load: break
      }
    }
  }

  // MARK: - From the pages

  private func handle(_ event: Hub.Event, _ tab: Tab) {
    switch event {
    case .came:
      commands.start { [self] in
        tab.send(hello())
        tab.send(state())
      }
    case .went: encoder.wakeUp()
    case .data(let bytes):
      do throws(BackdropError) {
        switch try DeviceMessage(bytes) {
        case .picture(let picture, let age): mailbox.put(picture, age: age)
        case .sound(let samples, let rate, let age):
          // The sound of two pages at once would alternate.
          guard listens(to: tab) else { break }
          session.microphone.put(samples, rate: rate, age: age)
        }
      } catch {
        tab.close(code: 1008, error.message)
      }
    case .text(let text):
      if text == "ack" {
        tab.acknowledge()
        encoder.wakeUp()
        return
      }
      let message: PageMessage
      do throws(BackdropError) { message = try PageMessage(text) } catch { return send(error, to: tab) }
      // A standby request bypasses the queue, so that no other command delays it.
      if case .standby(let wanted) = message.command { return hide(wanted) }
      let isTaken = enqueue { [self] in
        do throws(BackdropError) { try perform(message, from: tab) } catch { send(error, to: tab) }
      }
      if !isTaken { tab.close(code: 1008, "too many messages") }
    }
  }

  /// Whether this page's microphone is recorded: the first page, until it is silent.
  private func listens(to tab: Tab) -> Bool {
    speaker.withLock { speaker in
      if speaker != tab.number && session.microphone.isOn { return false }
      speaker = tab.number
      return true
    }
  }

  /// Does work after all earlier requests; returns false if too much work waits.
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
    // If too much work waits, the pages see the change with the next state.
    _ = enqueue { [self] in hub.say(state()) }
  }

  private func send(_ error: BackdropError, to tab: Tab) {
    tab.send(Message(is: "trouble", error: error.description, hint: error.hint?.text))
  }
}
