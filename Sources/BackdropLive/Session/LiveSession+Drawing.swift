import Backdrop
import BackdropCameras
import BackdropDepth
import BackdropImaging
import BackdropMatting
import Dispatch
import Libc

extension LiveSession {
  /// The time after the last frame until the outputs get the standby frame, in seconds; a slow camera gets the time of three
  /// frames.
  private static let timeout = 0.6
  /// The interval between repeated standby frames, in seconds. They repeat because programs may start later and a background
  /// may move.
  private static let standbyPeriod = 0.1

  /// The next action of the drawing thread.
  private enum Turn {
    case scene(Captured)
    case standby(StandbyReason)
    case hold
    case wait(Double)
    case end
  }

  /// The main function of the drawing thread.
  func draw(_ engine: LiveDrawing) {
    var version = -1, standbyVersion = -1
    var step = LoadStep.none
    var othersWatch = false
    var hidings = 0
    var lastScene = -Double.infinity
    var lastShown = -Double.infinity
    var nextDue = -Double.infinity
    var machine = (state: MachineState(), read: MonotonicClock.seconds)
    while true {
      let now = MonotonicClock.seconds
      if now - machine.read > 5 { machine = (MachineState(), now) }
      takeOver(engine, &version, &step, &othersWatch, &hidings)
      switch turn(now, lastScene: lastScene, lastShown: lastShown, isStandbyStale: version != standbyVersion) {
      case .end: return
      case .wait(let seconds): _ = drawing.wait(timeout: .now() + seconds)
      case .hold:
        hold(engine)
        lastShown = now
      case .standby(let reason):
        showStandby(engine, reason)
        (lastShown, standbyVersion) = (now, version)
      case .scene(let captured):
        // The first scene loads the networks, which takes time.
        if lastScene == -.infinity { showStandby(engine, .starting) }
        lastScene = MonotonicClock.seconds
        let limit = step.rate ?? settings.request.rate
        // Frames of a camera with 30 frames per second arrive a little early or late, so half a frame is tolerated.
        if captured.seconds < nextDue - 0.5 / limit { continue }
        nextDue = max(nextDue + 1 / limit, captured.seconds + 0.5 / limit)
        draw(captured, engine, hidings)
        let end = MonotonicClock.seconds
        lastShown = end
        balance(end - lastScene, limit: limit, machine.state, end)
      }
    }
  }

  private func turn(_ now: Double, lastScene: Double, lastShown: Double, isStandbyStale: Bool) -> Turn {
    state.withLock { state in
      if state.isStopping { return .end }
      let isDue = now >= lastShown + Self.standbyPeriod
      let isStandbyShown = state.shown?.rendering.isStandby == true
      guard state.isWatched || state.recorder != nil || state.settings.alwaysOn else {
        state.newest = nil
        // The next viewer must not see the last frame from before.
        if isStandbyStale || !isStandbyShown { return .standby(.starting) }
        return isDue ? .hold : .wait(Self.standbyPeriod)
      }
      if state.isOnStandby || state.isPaused {
        state.newest = nil
        if state.isOnStandby || !isStandbyShown, state.showing != .standby { return .standby(.requested) }
        return isDue ? .standby(.requested) : .wait(lastShown + Self.standbyPeriod - now)
      }
      if state.isFrozen, state.shown != nil, !isStandbyShown {
        state.newest = nil
        return isDue ? .hold : .wait(lastShown + Self.standbyPeriod - now)
      }
      if let captured = state.newest {
        state.newest = nil
        return .scene(captured)
      }
      // Waits briefly for the next frame, and shows the standby frame after a longer wait.
      let timeout = max(Self.timeout, 3 / max(1, state.camera.rate))
      let lastGood = max(lastScene, state.camera.opened)
      // A damaged picture is no picture; a camera that is lost is not on.
      if (state.camera.fault == nil || state.camera.isOn) && now < lastGood + timeout {
        return .wait(lastGood + timeout - now)
      }
      guard isDue || state.showing != .standby else {
        return .wait(max(0.001, lastShown + Self.standbyPeriod - now))
      }
      guard state.camera.isOn, now >= lastGood + timeout else {
        return .standby(state.camera.fault.map { .fault($0) } ?? .starting)
      }
      let silent =
        state.camera.lastSeen < now - timeout
        ? BackdropError(.system, "the camera sends no pictures", hint: state.camera.silenceHint)
        : BackdropError(
          .system, "the camera's pictures and depth do not arrive together", hint: .takePersonMattes)
      return .standby(.fault(state.camera.fault ?? silent))
    }
  }

  /// Applies changed settings, the load step and whether others watch to the engine.
  private func takeOver(
    _ engine: LiveDrawing, _ version: inout Int, _ step: inout LoadStep, _ othersWatch: inout Bool,
    _ hidings: inout Int
  ) {
    let (settings, look, background, newVersion, newStep, othersWatchNow) = state.withLock { state in
      defer { state.background = nil }
      hidings = state.hidings
      return (state.settings, state.look, state.background, state.version, state.load.step, state.othersWatch)
    }
    guard newVersion != version || newStep != step || othersWatchNow != othersWatch else { return }
    (version, step, othersWatch) = (newVersion, newStep, othersWatchNow)
    do throws(BackdropError) {
      try engine.change(to: settings, look, background: background?.value, step: newStep, othersWatch: othersWatchNow)
    } catch {
      note(LiveNote(.trouble, "Backdrop could not apply the change: ", error))
    }
  }

  /// - Parameter hidings: their number when the engine got its settings.
  private func draw(_ captured: Captured, _ engine: LiveDrawing, _ hidings: Int) {
    var image = Image(.i420, width: width, height: height, color: captured.scene.image.color, pool: pool)
    do throws(BackdropError) {
      try pass(.draw)
    } catch {
      return showStandby(engine, .fault(error))
    }
    let made = engine.matteCount
    let result = engine.render(captured.scene, wantsMatte: wantsMatte, into: &image)
    let rendering = result.rendering
    if case .standby(let reason) = rendering.standing { return showStandby(engine, reason) }
    if engine.matteCount > made { state.withLock { $0.meter.matteMade(MonotonicClock.seconds) } }
    let preview = Preview(rendering, scene: captured.scene, matte: result.matte)
    if !show(preview, taken: captured.seconds, drawnUnder: hidings, result.findings), isHidden {
      showStandby(engine, .requested)
    }
  }

  private var isHidden: Bool { state.withLock { $0.isOnStandby || $0.isPaused } }

  /// Shows the current picture again.
  private func hold(_ engine: LiveDrawing) {
    guard case (var held?, let hidings) = state.withLock({ ($0.shown, $0.shownUnder) }) else { return }
    // No new scene was drawn, so the matte belongs to this picture.
    if !held.rendering.isStandby && held.matte == nil && wantsMatte { held.matte = engine.matte }
    // Readers drop pictures that are not newer than their last one; they already have a frozen picture, but need the standby
    // frame again.
    if held.rendering.isStandby { held.rendering = held.rendering.held(until: MonotonicClock.seconds) }
    // The next scene is drawn as is now allowed, and then held.
    if !show(held, taken: nil, drawnUnder: hidings) { showStandby(engine, isHidden ? .requested : .starting) }
  }

  private var wantsMatte: Bool {
    state.withLock { state in !state.matteRequests.isEmpty || state.previews.contains { $0.wantsMatte } }
  }

  private func showStandby(_ engine: LiveDrawing, _ reason: StandbyReason) {
    var image = Image(.i420, width: width, height: height, pool: pool)
    let rendering = engine.standby(reason, at: MonotonicClock.seconds, into: &image)
    let isNews = state.withLock { state in
      defer { (state.showing, state.reason) = (.standby, reason) }
      return reason.error != nil
        && (state.showing != .standby || state.reason.error != reason.error)
    }
    if isNews, let error = reason.error { note(LiveNote(.standby, "standby: ", error)) }
    show(Preview(rendering), taken: nil)
  }

  /// Sends a picture to all outputs, unless something was hidden since it was drawn. That is decided where it is sent: what hides waits
  /// for the sending.
  ///
  /// - Parameters:
  ///   - taken: when the camera took it; `nil` if it shows no new scene.
  ///   - hidings: their number when it was drawn; the standby frame always goes.
  ///   - findings: how its subject was found.
  /// - Returns: whether it went out.
  @discardableResult private func show(
    _ preview: Preview, taken: Double?, drawnUnder hidings: Int? = nil, _ findings: Evidence.Findings? = nil
  ) -> Bool {
    sending.withLock { _ in
      var preview = preview
      let isStandby = preview.rendering.isStandby
      let sinks = state.withLock { state -> (outputs: [any BroadcastSink], previews: [any PreviewSink])? in
        guard isStandby || state.allows(hidings) else { return nil }
        // A standby frame can be newer than a scene in progress, but readers need times that never go back.
        if let last = state.shown?.rendering.time { preview.rendering = preview.rendering.held(until: last) }
        (state.shown, state.shownUnder, state.sender) = (preview, state.hidings, pthread_self())
        if !isStandby { state.showing = taken == nil ? .frozen : .scene }
        if let findings { state.findings = findings }
        if isStandby || preview.matte != nil {
          for request in state.matteRequests { request.signal() }
          state.matteRequests = []
        }
        return (state.outputs, state.previews)
      }
      guard let sinks else { return false }
      defer { state.withLock { $0.sender = nil } }
      for output in sinks.outputs {
        // An output may give a command that hides the picture from those after it.
        guard isStandby || state.withLock({ $0.allows(hidings) }) else { return false }
        do throws(BackdropError) {
          try pass(.show)
          try output.show(preview.rendering)
        } catch {
          note(LiveNote(.trouble, "\(output.name) ends: ", error))
          state.withLock { $0.outputs.removeAll { $0 === output } }
          output.close()
        }
      }
      for sink in sinks.previews {
        do throws(BackdropError) {
          try pass(.show)
          try sink.show(preview)
        } catch {
          note(LiveNote(.trouble, "\(sink.name) ends: ", error))
          state.withLock { $0.previews.removeAll { $0 === sink } }
          sink.close()
        }
      }
      let now = MonotonicClock.seconds
      let recorder = state.withLock { state in
        state.meter.pictureWent(now, taken: taken)
        return isStandby || taken != nil && state.allows(hidings) ? state.recorder : nil
      }
      recorder?.add(preview.rendering, preview.scene)
      return true
    }
  }

  private func balance(_ seconds: Double, limit: Double, _ machine: MachineState, _ now: Double) {
    let (before, after) = state.withLock { state in
      let before = state.load.step
      var load = seconds * limit
      let use = state.meter.processorUse(now)
      if let most = state.settings.maxCPU { load = max(load, 0.85 * use / most) }
      _ = state.load.update(load: load, floor: machine.floor, now: now)
      return (before, state.load.step)
    }
    guard before != after else { return }
    let reason = machine.isHot ? " (the computer is hot)" : machine.isOnBattery ? " (on battery)" : ""
    note(
      LiveNote(
        .load,
        after > before
          ? "to keep up: \(after.summary ?? "")\(reason)"
          : "recovered: \(after.summary ?? "everything is done")"))
  }
}

extension LiveSession.State {
  /// Whether others see the pictures.
  var othersWatch: Bool { outputs.contains { $0.isPublic } }

  /// Whether a scene that was drawn when so much was hidden may go out.
  func allows(_ hidings: Int?) -> Bool { hidings == self.hidings && !isOnStandby && !isPaused }

  /// Whether any output or preview has a viewer.
  var isWatched: Bool { outputs.contains { $0.isWatched } || previews.contains { $0.isWatched } }
}
