import Backdrop
import Dispatch

extension LiveSession {
  /// Performs a command from any thread; the next frame shows the change. After standby and pause no picture of the scene goes out; after
  /// the real background was forbidden, none that was drawn with it.
  ///
  /// - Throws: the errors of the command, which then changes nothing.
  package func perform(_ command: LiveCommand) throws(BackdropError) {
    switch command {
    case .background(let text): try show(background: text, isAdded: false)
    case .addBackground(let text): try show(background: text, isAdded: true)
    case .removeBackground(let text): try remove(background: text)
    case .nextBackground: try cycle(background: 1)
    case .previousBackground: try cycle(background: -1)
    case .look(let name):
      let look = try Look.load(name)
      try change { settings, known in (settings.look, settings.values, known) = (name, [:], look) }
    case .nextLook: try cycle(look: 1)
    case .previousLook: try cycle(look: -1)
    case .set(let name, let value):
      try change { (settings, look) throws(BackdropError) in try settings.set(name, to: value, look) }
    case .reset(let name):
      try change { (settings, look) throws(BackdropError) in try settings.set(name, to: nil, look) }
    case .mirror(let wanted): try change { settings, _ in settings.mirror = wanted ?? !settings.mirror }
    case .showRealBackground(let wanted):
      try change { settings, _ in settings.showsRealBackground = wanted ?? !settings.showsRealBackground }
      if !settings.showsRealBackground {
        state.withLock { $0.director.hide() }
        finishHiding()
      }
    case .camera(let address):
      try LiveInputs.check(address)
      try change { settings, _ in settings.camera = address }
    case .freeze(let wanted):
      state.withLock { $0.director.freeze(wanted) }
      wake()
    case .standby(let wanted):
      if state.withLock({ $0.director.standby(wanted) }) { finishHiding() }
      wake()
    case .pause(let wanted):
      if state.withLock({ $0.director.pause(wanted) }) { finishHiding() }
      wake()
    case .snapshot(let path):
      try LiveSnapshot.write(shownWithMatte(), to: path)
      note(LiveNote(.file, "photo: \(path)"))
    case .record(let path, let raw): try record(path, raw)
    case .stopRecording: try stopRecording()
    case .status, .quit: break
    }
  }

  /// Makes sure that no picture drawn before the director hid it goes out after this returns.
  private func finishHiding() {
    let outputs = state.withLock { $0.outputs }
    finishSending()
    for output in outputs { output.withdraw() }
  }

  /// The current picture, or the next one if that has no matte.
  private func shownWithMatte() throws(BackdropError) -> Preview {
    let arrival = DispatchSemaphore(value: 0)
    let isThere = state.withLock { state in
      guard let shown = state.shown, !shown.rendering.isStandby, shown.matte == nil else { return true }
      state.matteRequests.append(arrival)
      return false
    }
    if !isThere {
      wake()
      _ = arrival.wait(timeout: .now() + 2)
    }
    guard let shown else {
      throw BackdropError(.badData, "the session has no picture yet", hint: "wait for the first one")
    }
    return shown
  }

  private func record(_ path: String, _ raw: String?) throws(BackdropError) {
    let (settings, camera, isRecording) = state.withLock { ($0.settings, $0.director.camera, $0.recorder != nil) }
    let refusal = BackdropError(.wrongArgument, "a recording is already running", hint: "end that recording first")
    guard !isRecording else { throw refusal }
    guard raw == nil || camera.hasDepth || !camera.isOn else {
      throw BackdropError(
        .wrongArgument, "the camera has no depth, so a raw recording is not possible", hint: .leaveRawOut)
    }
    var sound = microphone.isOn ? LiveRecorder.Sound(microphone: microphone) : nil
    if settings.microphone {
      let own = Microphone()
      let device = try PipeWireMicrophone.open { own.put($0, rate: $1, age: $2) }
      sound = LiveRecorder.Sound(microphone: own, device: device) { [weak self] in
        self?.note(LiveNote(.trouble, "the microphone is silent; the recording continues without it"))
      }
    }
    let recorder = try LiveRecorder.start(path, raw: raw, (width, height, settings.request.rate), sound: sound) {
      recorder, outcome in
      self.recordingEnded(recorder, outcome)
    }
    let isFirst = state.withLock { state in
      guard state.recorder == nil else { return false }
      (state.recorder, state.recorded, state.recordingFault) = (recorder, nil, nil)
      return true
    }
    guard isFirst else {
      _ = recorder.finish()
      throw refusal
    }
    note(LiveNote(.file, "recording \(path); until it ends, its name is \(recorder.temporaryPath)"))
    wake()
  }

  private func stopRecording() throws(BackdropError) {
    guard let recorder = state.withLock({ $0.recorder.take() }) else {
      throw BackdropError(.wrongArgument, "no recording is running", hint: "start a recording first")
    }
    let outcome = recorder.finish()
    if let fault = outcome.fault {
      state.withLock { $0.recorded = outcome.files.first }
      throw fault
    }
    report(outcome, of: recorder)
  }

  func report(_ outcome: LiveRecorder.Outcome, of recorder: LiveRecorder) {
    state.withLock { $0.recorded = outcome.files.first }
    let loss = recorder.lost > 0 ? "; it lacks \(recorder.lost) pictures" : ""
    let names = outcome.taken.joined(separator: " and ")
    let taken =
      switch outcome.taken.count {
      case 0: ""
      case 1: "; another program took the name \(names) in the meantime"
      default: "; other programs took the names \(names) in the meantime"
      }
    note(LiveNote(.file, "recorded: \(outcome.files.joined(separator: ", "))\(taken)\(loss)"))
  }

  /// Removes a recording that ended by itself, and reports it at once.
  private func recordingEnded(_ recorder: LiveRecorder, _ outcome: LiveRecorder.Outcome) {
    let fault = outcome.fault ?? BackdropError(.system, "the recording ended")
    let isMine = state.withLock { state in
      guard state.recorder === recorder else { return false }
      (state.recorder, state.recorded, state.recordingFault) = (nil, outcome.files.first, fault)
      state.firstRecordingFault = state.firstRecordingFault ?? fault
      return true
    }
    if isMine { note(LiveNote(.trouble, "the recording stopped: ", fault)) }
    wake()
  }

  private func show(background text: String, isAdded: Bool) throws(BackdropError) {
    let background = try BackgroundSource(BackgroundChoice(single: text), width: width, height: height)
    let blur = background.legibleBlur
    try change(background) { (settings, _) throws(BackdropError) in
      if let blur, !settings.showsRealBackground { throw blur.error }
      settings.background = text
      if isAdded && !settings.backgrounds.contains(text) { settings.backgrounds.append(text) }
    }
  }

  private func remove(background text: String) throws(BackdropError) {
    let settings = settings
    guard settings.backgrounds.contains(text) else {
      throw BackdropError(
        .wrongArgument, "the list has no background of that name", hint: "choose a name from the list")
    }
    guard settings.backgrounds.count > 1 else {
      throw BackdropError(.wrongArgument, "the list must keep one background", hint: "add another one first")
    }
    if settings.background == text { try cycle(background: 1) }
    try change { settings, _ in settings.backgrounds.removeAll { $0 == text } }
  }

  private func cycle(background step: Int) throws(BackdropError) {
    let settings = settings
    guard let next = Self.neighbour(of: settings.background, in: settings.backgrounds, step) else {
      throw BackdropError(.wrongArgument, "the session has no background to change to", hint: "add a background")
    }
    try show(background: next, isAdded: false)
  }

  private func cycle(look step: Int) throws(BackdropError) {
    let looks = Look.builtIn.map(\.id)
    guard let next = Self.neighbour(of: settings.look, in: looks, step) else { return }
    try perform(.look(next))
  }

  private static func neighbour(of value: String, in list: [String], _ step: Int) -> String? {
    guard !list.isEmpty else { return nil }
    guard let index = list.firstIndex(of: value) else { return step > 0 ? list.first : list.last }
    return list[(index + step + list.count) % list.count]
  }

  /// Changes the settings if they remain valid. Changes from different threads happen one after the other.
  ///
  /// - Throws: the errors of `edit`, of the changed settings and of a new standby picture; then nothing changes.
  func change(
    _ background: BackgroundSource? = nil, _ edit: (inout LiveSettings, inout Look) throws(BackdropError) -> Void
  ) throws(BackdropError) {
    let handed = background.map { UncheckedTransfer($0) }
    try changing.withLock { _ throws(BackdropError) in
      var (settings, look) = state.withLock { ($0.settings, $0.look) }
      let standby = settings.standby
      try edit(&settings, &look)
      try settings.check(look)
      if settings.standby != standby { _ = try settings.standbyPicture() }
      state.withLock { state in
        (state.settings, state.look) = (settings, look)
        state.director.settingsChanged(rate: settings.request.rate)
        if let handed { state.background = handed }
      }
    }
    wake()
  }
}
