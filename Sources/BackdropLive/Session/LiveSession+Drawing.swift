import Backdrop
import BackdropCameras
import BackdropDepth
import BackdropImaging
import BackdropMatting
import Dispatch

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
    var audience = StreamSettings.Audience.rehearsal
    var lastScene = -Double.infinity
    var lastShown = -Double.infinity
    var nextDue = -Double.infinity
    var machine = (state: MachineState(), read: MonotonicClock.seconds)
    while true {
      let now = MonotonicClock.seconds
      if now - machine.read > 5 { machine = (MachineState(), now) }
      takeOver(engine, &version, &step, &audience)
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
        draw(captured, engine)
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

  /// Applies changed settings, the load step and the audience to the engine.
  private func takeOver(
    _ engine: LiveDrawing, _ version: inout Int, _ step: inout LoadStep, _ audience: inout StreamSettings.Audience
  ) {
    let (settings, look, background, newVersion, newStep, newAudience) = state.withLock { state in
      defer { state.background = nil }
      let audience: StreamSettings.Audience = state.outputs.contains { $0.isPublic } ? .others : .rehearsal
      return (state.settings, state.look, state.background, state.version, state.load.step, audience)
    }
    guard newVersion != version || newStep != step || newAudience != audience else { return }
    (version, step, audience) = (newVersion, newStep, newAudience)
    do throws(BackdropError) {
      try engine.change(to: settings, look, background: background?.value, step: newStep, audience: newAudience)
    } catch {
      note(LiveNote(.trouble, "Backdrop could not apply the change: ", error))
    }
  }

  private func draw(_ captured: Captured, _ engine: LiveDrawing) {
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
    let (isNew, findings) = (engine.matteCount > made, result.findings)
    // A standby request may have arrived during the drawing.
    let isHidden = state.withLock { state in
      if isNew { state.meter.matteMade(MonotonicClock.seconds) }
      guard !state.isOnStandby && !state.isPaused else { return true }
      (state.showing, state.findings) = (.scene, findings)
      return false
    }
    if isHidden { return showStandby(engine, .requested) }
    let preview = Preview(rendering, scene: captured.scene, matte: result.matte)
    show(preview, taken: captured.seconds)
    if let recorder = state.withLock({ $0.recorder }) { recorder.add(rendering, captured.scene) }
  }

  /// Shows the current picture again.
  private func hold(_ engine: LiveDrawing) {
    guard var held = state.withLock({ $0.shown }) else { return }
    // No new scene was drawn, so the matte belongs to this picture.
    if !held.rendering.isStandby && held.matte == nil && wantsMatte { held.matte = engine.matte }
    // Readers drop pictures that are not newer than their last one; they already have a frozen picture, but need the standby
    // frame again.
    if held.rendering.isStandby { held.rendering = held.rendering.held(until: MonotonicClock.seconds) }
    show(held, taken: nil)
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
    if let recorder = state.withLock({ $0.recorder }) { recorder.add(rendering, nil) }
  }

  private func show(_ preview: Preview, taken: Double?) {
    var preview = preview
    let (outputs, previews) = state.withLock { state in
      // A standby frame can be newer than a scene in progress, but readers need times that never go back.
      if let last = state.shown?.rendering.time { preview.rendering = preview.rendering.held(until: last) }
      state.shown = preview
      if !preview.rendering.isStandby && taken == nil { state.showing = .frozen }
      if preview.rendering.isStandby || preview.matte != nil {
        for request in state.matteRequests { request.signal() }
        state.matteRequests = []
      }
      return (state.outputs, state.previews)
    }
    for output in outputs {
      do throws(BackdropError) {
        try pass(.show)
        try output.show(preview.rendering)
      } catch {
        note(LiveNote(.trouble, "\(output.name) ends: ", error))
        state.withLock { $0.outputs.removeAll { $0 === output } }
        output.close()
      }
    }
    for sink in previews {
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
    state.withLock { $0.meter.pictureWent(now, taken: taken) }
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
  /// Whether any output or preview has a viewer.
  var isWatched: Bool { outputs.contains { $0.isWatched } || previews.contains { $0.isWatched } }
}
