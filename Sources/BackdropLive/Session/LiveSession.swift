import Backdrop
import Dispatch
import Libc
import Synchronization

/// Runs a camera, a look and the outputs that show it.
///
/// One thread reads the camera, another draws. At most one frame waits between them, the newest. The camera runs only while an output has
/// a viewer (or the settings keep it on). After any failure of camera, depth, network or look, the outputs get the standby frame. They
/// receive only ``/Backdrop/Rendering``s, which do not give access to the camera's picture. Only previews, for the user of this machine,
/// also get the scene.
///
///     let session = try LiveSession(settings)
///     session.add(output)
///     try session.start()
///     try session.perform(.background("scene:dunes"))
///     session.stop()
package final class LiveSession: Sendable {
  /// The steps in which tests cause faults, to prove that no fault shows the real background.
  package enum Step: Sendable, CaseIterable {
    case open, read, join, shape, draw, show
  }

  /// The state shared by the threads.
  struct State {
    var settings: LiveSettings
    var look: Look
    var background: UncheckedTransfer<BackgroundSource>?
    var director: LiveDirector
    var outputs: [any BroadcastSink] = []
    var previews: [any PreviewSink] = []
    var threadCount = 0
    /// The camera's newest scene, on its way to the drawing thread; its time is when the camera took it.
    var newest: Scene?
    var meter = LiveMeter()
    var shown: Preview?
    /// The thread that is sending a picture.
    var sender: pthread_t?
    /// The callers that wait for a picture with its matte.
    var matteRequests: [DispatchSemaphore] = []
    /// How the last subject was found; `nil` before the first.
    var findings: Evidence.Findings?
    var recorder: LiveRecorder?
    /// The path of the last recording, and the error if it ended by itself.
    var recorded: String?
    var recordingFault: BackdropError?
    var firstRecordingFault: BackdropError?
    var notes: [LiveNote] = []

    init(_ settings: LiveSettings, _ look: Look) {
      (self.settings, self.look) = (settings, look)
      director = LiveDirector(rate: settings.request.rate)
    }

    var viewers: LiveDirector.Viewers {
      LiveDirector.Viewers(
        isAny: settings.alwaysOn || recorder != nil || outputs.contains { $0.isWatched }
          || previews.contains { $0.isWatched }, areOthers: outputs.contains { $0.isPublic })
    }
  }

  let state: Mutex<State>
  /// Held while a picture goes to the outputs.
  let sending = Mutex(())
  /// Held while the settings change, which may read a picture.
  let changing = Mutex(())
  let inputs: LiveInputs
  let faults: (@Sendable (Step) throws(BackdropError) -> Void)?
  /// Wakes the drawing thread, and the camera thread.
  let drawing = DispatchSemaphore(value: 0)
  let reading = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let engine: UncheckedTransfer<LiveDrawing>
  let pool = ImagePool(limit: 12)
  /// A microphone for recordings; those that begin while it is on have its sound.
  package let microphone = Microphone()
  let width: Int, height: Int

  /// Creates a session and checks the settings; nothing runs before ``start()``.
  ///
  /// - Parameters:
  ///   - networks: the cache of person networks, for the exclusive use of the session.
  ///   - faults: causes the faults of tests.
  package init(
    _ settings: LiveSettings, inputs: LiveInputs = LiveInputs(), networks: ModelCache = ModelCache(),
    faults: (@Sendable (Step) throws(BackdropError) -> Void)? = nil
  ) throws(BackdropError) {
    let look = try Look.load(settings.look)
    try LiveInputs.check(settings.camera)
    try settings.check(look)
    let workers = WorkerPool(threads: WorkerPool.halfOfProcessors)
    engine = UncheckedTransfer(try LiveDrawing(settings, look, networks: networks, workers: workers))
    (width, height) = (settings.request.width, settings.request.height)
    (self.inputs, self.faults) = (inputs, faults)
    state = Mutex(State(settings, look))
  }

  /// Starts the threads; may be called once.
  package func start() throws(BackdropError) {
    for body in [{ self.read() }, { self.draw(self.engine.value) }] as [@Sendable () -> Void] {
      try DetachedThread.start {
        body()
        self.ended.signal()
      }
      state.withLock { $0.threadCount += 1 }
    }
  }

  /// Stops the threads and waits for them, completes a recording and closes the outputs.
  package func stop() {
    let (wasStopping, threadCount) = state.withLock { state in
      defer { state.director.stop() }
      return (state.director.isStopping, state.threadCount)
    }
    guard !wasStopping else { return }
    drawing.signal()
    reading.signal()
    for _ in 0..<threadCount { ended.wait() }
    let (outputs, recorder) = state.withLock { state in
      defer { (state.outputs, state.previews, state.recorder) = ([], [], nil) }
      return (state.outputs, state.recorder)
    }
    for output in outputs { output.close() }
    guard let recorder else { return }
    let outcome = recorder.finish()
    if let fault = outcome.fault { note(LiveNote(.trouble, "", fault)) } else { report(outcome, of: recorder) }
  }

  package var settings: LiveSettings { state.withLock { $0.settings } }

  package var status: LiveStatus {
    let now = MonotonicClock.seconds
    return state.withLock { state in
      var status = LiveStatus()
      let (director, camera) = (state.director, state.director.camera)
      status.showing = director.showing
      if director.showing == .standby {
        let error = director.reason.error
        let waiting = camera.isOn ? "the first picture is not ready yet" : "the camera is off"
        status.reason =
          director.isOnStandby
          ? "you asked for standby" : director.isPaused ? "paused" : error?.description ?? waiting
        status.hint = director.isOnStandby || director.isPaused ? nil : error?.hint
      }
      (status.camera, status.cameraMode, status.cameraRate) = (camera.name, camera.mode, camera.rate)
      (status.isCameraOn, status.hasDepth) = (camera.isOn, camera.hasDepth)
      status.watchers = state.outputs.count { $0.isWatched } + state.previews.count { $0.isWatched }
      state.meter.fill(&status, now: now)
      (status.loadStep, status.loadSummary) = (director.load.step.rawValue, director.load.step.summary)
      (status.width, status.height) = (width, height)
      (status.recording, status.recorded) = (state.recorder?.path, state.recorded)
      status.recordingSeconds = state.recorder?.seconds
      status.recordsSound = state.recorder?.hasSound
      status.recordingFault = state.recordingFault?.description
      (status.isPaused, status.isMirrored, status.isOnStandby) =
        (director.isPaused, state.settings.mirror, director.isOnStandby)
      (status.lookShowsRealBackground, status.showsRealBackground) =
        (state.look.showsRealBackground, state.settings.showsRealBackground)
      status.subjectFrom = state.findings?.subject
      (status.look, status.parameters) = (state.settings.look, state.settings.values)
      status.background = state.settings.background
      status.settings = LiveSettings.parameters.values(of: state.settings)
      if let facts = state.findings?.facts(isStill: false, hasBackground: state.look.hasBackground) {
        status.inactive = LiveSettings.parameters.inactive(where: facts)
          .filter { name, _ in !state.look.parameters.contains { $0.name == name } }
          .merging(state.look.inactive(where: facts, values: state.settings.values)) { $1 }
      }
      return status
    }
  }

  /// The current picture, for the user of this computer.
  package var shown: Preview? { state.withLock { $0.shown } }

  /// The error that ended the last recording by itself, if any.
  package var recordingFault: BackdropError? { state.withLock { $0.recordingFault } }

  /// The error that first ended a recording by itself, if any.
  package var firstRecordingFault: BackdropError? { state.withLock { $0.firstRecordingFault } }

  /// Returns the notes since the last call.
  package func drainNotes() -> [LiveNote] {
    state.withLock { exchange(&$0.notes, with: []) }
  }

  /// Adds an output, which gets the next picture.
  package func add(_ output: any BroadcastSink) {
    state.withLock { state in
      // What was drawn for the user alone is not for others.
      if output.isPublic && !state.viewers.areOthers { state.director.hide() }
      state.outputs.append(output)
    }
    wake()
  }

  /// Removes an output, without closing it; it gets no picture afterwards.
  package func remove(_ output: any BroadcastSink) {
    state.withLock { $0.outputs.removeAll { $0 === output } }
    finishSending()
    wake()
  }

  /// Waits until a picture that is on its way to the outputs has arrived. An output that calls this while it takes a picture does not wait
  /// for itself.
  func finishSending() {
    let isSender = state.withLock { $0.sender.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    if !isSender { sending.withLock { _ in } }
  }

  package func add(preview: any PreviewSink) {
    state.withLock { $0.previews.append(preview) }
    wake()
  }

  func wake() {
    drawing.signal()
    reading.signal()
  }

  /// Keeps a note for ``drainNotes()``.
  func note(_ note: LiveNote) {
    state.withLock { state in
      guard state.notes.count < 1000 else { return }
      state.notes.append(note)
    }
  }

  /// The point at which tests cause the faults of a step.
  func pass(_ step: Step) throws(BackdropError) { try faults?(step) }
}
