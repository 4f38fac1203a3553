import BackdropCameras
import BackdropDepth
import BackdropImaging
import Foundation

extension LiveSession {
  /// So long after the last frame the outputs get the card, in seconds; three frames of a slow camera.
  private static let patience = 0.6
  /// How often a still card is shown again, in seconds: programs that come later need one, and a background may move.
  private static let cardPeriod = 0.1

  /// What is to be done next.
  private enum Turn {
    case frame(Captured)
    case card(BackdropError?)
    case hold
    case wait(Double)
    case end
  }

  /// What the thread does that draws.
  func draw(_ pipeline: LivePipeline) {
    var version = -1, cardVersion = -1
    var step = Pressure.Step.none
    var lastFrame = -Double.infinity
    var lastShown = -Double.infinity
    var nextDue = -Double.infinity
    var machine = (state: MachineState(), read: MonotonicClock.seconds)
    while true {
      let now = MonotonicClock.seconds
      if now - machine.read > 5 { machine = (MachineState(), now) }
      takeOver(pipeline, &version, &step)
      switch turn(now, lastFrame: lastFrame, lastShown: lastShown, isCardStale: version != cardVersion) {
      case .end: return
      case .wait(let seconds): _ = drawing.wait(timeout: .now() + seconds)
      case .hold:
        hold(pipeline)
        lastShown = now
      case .card(let fault):
        showCard(pipeline, fault)
        (lastShown, cardVersion) = (now, version)
      case .frame(let captured):
        // The first frame loads the networks, which takes a while.
        if lastFrame == -.infinity { showCard(pipeline, nil) }
        lastFrame = MonotonicClock.seconds
        let limit = step.rate ?? settings.wish.rate
        // A camera of 30 frames a second brings them a little early or late; half a frame decides.
        if captured.seconds < nextDue - 0.5 / limit { continue }
        nextDue = max(nextDue + 1 / limit, captured.seconds + 0.5 / limit)
        draw(captured, pipeline)
        let end = MonotonicClock.seconds
        lastShown = end
        press(end - lastFrame, limit: limit, machine.state, end)
      }
    }
  }

  private func turn(_ now: Double, lastFrame: Double, lastShown: Double, isCardStale: Bool) -> Turn {
    state.withLock { state in
      if state.isStopping { return .end }
      let isDue = now >= lastShown + Self.cardPeriod
      guard state.outputs.contains(where: { $0.isWatched }) || state.recorder != nil || state.settings.alwaysOn else {
        state.newest = nil
        // Whoever comes next must not see the last moment of before.
        if isCardStale || state.shown?.isCard != true { return .card(nil) }
        return isDue ? .hold : .wait(Self.cardPeriod)
      }
      if state.isPanicking || state.isPaused {
        state.newest = nil
        if state.isPanicking || state.shown?.isCard != true, state.showing != .card { return .card(nil) }
        return isDue ? .card(nil) : .wait(lastShown + Self.cardPeriod - now)
      }
      if state.isFrozen, state.shown?.isCard == false {
        state.newest = nil
        return isDue ? .hold : .wait(lastShown + Self.cardPeriod - now)
      }
      if let captured = state.newest {
        state.newest = nil
        return .frame(captured)
      }
      // A frame is due any moment; the card comes when none came for long.
      let patience = max(Self.patience, 3 / max(1, state.camera.rate))
      let lastGood = max(lastFrame, state.camera.opened)
      if state.camera.fault == nil && now < lastGood + patience { return .wait(lastGood + patience - now) }
      guard isDue || state.showing != .card else { return .wait(max(0.001, lastShown + Self.cardPeriod - now)) }
      guard state.camera.isOn, now >= lastGood + patience else { return .card(state.camera.fault) }
      let silent =
        state.camera.lastSeen < now - patience
        ? BackdropError(.system, "the camera sends no pictures", hint: "unplug it and plug it in again")
        : BackdropError(
          .system, "the camera's pictures and distances do not belong together", hint: "add --matte person")
      return .card(state.camera.fault ?? silent)
    }
  }

  /// Takes over settings that changed, and the step that the machine asks for.
  private func takeOver(_ pipeline: LivePipeline, _ version: inout Int, _ step: inout Pressure.Step) {
    let (settings, background, newVersion, newStep) = state.withLock { state in
      defer { state.background = nil }
      return (state.settings, state.background, state.version, state.pressure.step)
    }
    guard newVersion != version || newStep != step else { return }
    (version, step) = (newVersion, newStep)
    do throws(BackdropError) {
      try pipeline.change(to: settings, background: background?.value, step: newStep)
    } catch {
      note(LiveNote(.trouble, "the change is not made: ", error))
    }
  }

  private func draw(_ captured: Captured, _ pipeline: LivePipeline) {
    var image = Image(.i420, width: width, height: height, color: captured.frame.image.color, pool: pool)
    do throws(BackdropError) {
      try pass(.draw)
      let made = pipeline.matteCount
      try pipeline.draw(
        captured.frame, bringsFaces: captured.bringsFaces, hasDepth: captured.hasDepth, into: &image)
      let isNew = pipeline.matteCount > made
      state.withLock { state in
        (state.showing, state.fault) = (.person, nil)
        if isNew { state.meter.matteMade(MonotonicClock.seconds) }
      }
    } catch {
      return showCard(pipeline, error)
    }
    // The wish for the card may have come meanwhile.
    if state.withLock({ $0.isPanicking || $0.isPaused }) { return showCard(pipeline, nil) }
    var picture = LivePicture(image: image, frame: captured.frame, isCard: false, seconds: captured.seconds)
    if wantsMatte { picture.matte = pipeline.matte }
    show(picture, taken: captured.seconds)
    if let recorder = state.withLock({ $0.recorder }) { recorder.add(picture) }
  }

  /// Shows again what is shown.
  private func hold(_ pipeline: LivePipeline) {
    guard var held = state.withLock({ $0.shown }) else { return }
    // No frame was drawn since, so it is this one's.
    if !held.isCard && held.matte == nil && wantsMatte { held.matte = pipeline.matte }
    // Readers drop what is no later than what they have; a frozen picture they have.
    if held.isCard { held.seconds = MonotonicClock.seconds }
    show(held, taken: nil)
  }

  private var wantsMatte: Bool {
    state.withLock { state in !state.matteWishes.isEmpty || state.outputs.contains { $0.wantsMatte } }
  }

  private func showCard(_ pipeline: LivePipeline, _ fault: BackdropError?) {
    var image = Image(.i420, width: width, height: height, pool: pool)
    let now = MonotonicClock.seconds
    pipeline.drawCard(into: &image, at: now)
    let isNews = state.withLock { state in
      defer { (state.showing, state.fault) = (.card, fault) }
      return fault != nil && (state.showing != .card || state.fault?.message != fault?.message)
    }
    if isNews, let fault { note(LiveNote(.card, "still card: ", fault)) }
    let picture = LivePicture(image: image, isCard: true, seconds: now)
    show(picture, taken: nil)
    if let recorder = state.withLock({ $0.recorder }) { recorder.add(picture) }
  }

  private func show(_ picture: LivePicture, taken: Double?) {
    var picture = picture
    let outputs = state.withLock { state in
      // A card is younger than a frame that was under way; readers want times that never go back.
      if let last = state.shown?.seconds { picture.seconds = max(picture.seconds, last) }
      state.shown = picture
      if !picture.isCard && taken == nil { state.showing = .frozen }
      if picture.isCard || picture.matte != nil {
        for wish in state.matteWishes { wish.signal() }
        state.matteWishes = []
      }
      return state.outputs
    }
    for output in outputs {
      do throws(BackdropError) {
        try pass(.show)
        try output.show(picture)
      } catch {
        note(LiveNote(.trouble, "\(output.name) ends: ", error))
        state.withLock { $0.outputs.removeAll { $0 === output } }
        output.close()
      }
    }
    let now = MonotonicClock.seconds
    state.withLock { $0.meter.pictureWent(now, taken: taken) }
  }

  private func press(_ seconds: Double, limit: Double, _ machine: MachineState, _ now: Double) {
    let (before, after) = state.withLock { state in
      let before = state.pressure.step
      var load = seconds * limit
      let use = state.meter.processorUse(now)
      if let most = state.settings.maxCPU { load = max(load, 0.85 * use / most) }
      _ = state.pressure.update(load: load, floor: machine.floor, now: now)
      return (before, state.pressure.step)
    }
    guard before != after else { return }
    let reason = machine.isHot ? " (the machine is hot)" : machine.isOnBattery ? " (on battery)" : ""
    note(
      LiveNote(
        .pressure,
        after > before
          ? "to keep up: \(after.summary ?? "")\(reason)"
          : "there is time again: \(after.summary ?? "everything is done")"))
  }
}
