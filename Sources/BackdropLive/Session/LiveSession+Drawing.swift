import Backdrop
import Dispatch
import Libc

extension LiveSession {
  /// The drawing thread's view of the session at the start of a picture.
  private struct Turn {
    var decision: LiveDirector.Decision
    var permit: LiveDirector.Permit
    var scene: Scene?
    /// The settings that the engine does not have yet.
    var change: LiveDrawing.Change?
    var wantsMatte: Bool
    var last: Preview?
    var maxCPU: Double?
  }

  /// A picture that is ready to go out.
  private struct Drawn {
    var preview: Preview
    var picture: LiveDirector.Picture
    var findings: Evidence.Findings?
    var hasNewMatte = false
  }

  /// Runs on the drawing thread.
  func draw(_ engine: LiveDrawing) {
    var machine = (state: MachineState(), read: MonotonicClock.seconds)
    while true {
      let now = MonotonicClock.seconds
      if now - machine.read > 5 { machine = (MachineState(), now) }
      let turn = begin(at: now)
      if let change = turn.change, !apply(change, engine) { continue }
      switch turn.decision {
      case .end: return
      case .skip: break
      case .wait(let seconds): _ = drawing.wait(timeout: .now() + seconds)
      case .hold: hold(turn, engine)
      case .standby(let reason): showStandby(turn, engine, reason)
      case .scene:
        guard let scene = turn.scene else { continue }
        draw(scene, turn, engine)
        balance(turn, machine.state, since: now)
      }
    }
  }

  private func begin(at now: Double) -> Turn {
    state.withLock { state in
      let viewers = state.viewers
      var change: LiveDrawing.Change?
      if state.director.mustApply(viewers) {
        change = LiveDrawing.Change(
          settings: state.settings, look: state.look, background: state.background,
          step: state.director.load.step, othersWatch: viewers.areOthers)
        state.background = nil
      }
      let decision = state.director.turn(at: now, viewers)
      let scene = decision == .scene ? state.newest : nil
      if !state.director.hasFrame { state.newest = nil }
      return Turn(
        decision: decision, permit: decision == .hold ? state.director.permitOfLast : state.director.permit,
        scene: scene, change: change,
        wantsMatte: !state.matteRequests.isEmpty || state.previews.contains { $0.wantsMatte }, last: state.shown,
        maxCPU: state.settings.maxCPU)
    }
  }

  /// Gives the engine settings; returns whether it accepts them.
  private func apply(_ change: LiveDrawing.Change, _ engine: LiveDrawing) -> Bool {
    do throws(BackdropError) {
      try engine.apply(change)
      return true
    } catch {
      state.withLock { state in
        state.director.refuse(error)
        state.background = state.background ?? change.background
      }
      note(LiveNote(.trouble, "Backdrop could not apply the change: ", error))
      return false
    }
  }

  private func draw(_ scene: Scene, _ turn: Turn, _ engine: LiveDrawing) {
    var image = Image(.i420, width: width, height: height, color: scene.image.color, pool: pool)
    do throws(BackdropError) {
      try pass(.draw)
    } catch {
      return showStandby(turn, engine, .fault(error))
    }
    let made = engine.matteCount
    let result = engine.render(scene, wantsMatte: turn.wantsMatte, into: &image)
    if case .standby(let reason) = result.rendering.standing { return showStandby(turn, engine, reason) }
    let preview = Preview(result.rendering, scene: scene, matte: result.matte)
    show(
      Drawn(
        preview: preview, picture: .scene(taken: scene.time), findings: result.findings,
        hasNewMatte: engine.matteCount > made), turn)
  }

  private func hold(_ turn: Turn, _ engine: LiveDrawing) {
    guard var held = turn.last else { return }
    // No new scene was drawn, so the matte belongs to this picture.
    if !held.rendering.isStandby && held.matte == nil && turn.wantsMatte { held.matte = engine.matte }
    // Readers drop pictures that are not newer than their last one; they already have a frozen picture, but need the standby
    // frame again.
    if held.rendering.isStandby { held.rendering = held.rendering.held(until: MonotonicClock.seconds) }
    // Something was hidden since; the next scene is drawn as is now allowed, and then held.
    if !show(Drawn(preview: held, picture: .held), turn) { showStandby(turn, engine, .starting) }
  }

  private func showStandby(_ turn: Turn, _ engine: LiveDrawing, _ reason: StandbyReason) {
    var image = Image(.i420, width: width, height: height, pool: pool)
    let rendering = engine.standby(reason, at: MonotonicClock.seconds, into: &image)
    show(Drawn(preview: Preview(rendering), picture: .standby(reason)), turn)
  }

  /// Sends a picture to all outputs, unless something was hidden since its turn began. That is decided where it is sent: what hides waits
  /// for the sending.
  ///
  /// - Returns: whether it went out.
  @discardableResult private func show(_ drawn: Drawn, _ turn: Turn) -> Bool {
    sending.withLock { _ in
      var preview = drawn.preview
      let isStandby = preview.rendering.isStandby
      let now = MonotonicClock.seconds
      var isNews = false
      let sinks = state.withLock { state -> (outputs: [any BroadcastSink], previews: [any PreviewSink])? in
        let decision = state.director.mayShow(drawn.picture, drawnUnder: turn.permit, at: now)
        isNews = decision.isNews
        if drawn.hasNewMatte { state.meter.matteMade(now) }
        guard decision.goes else { return nil }
        // A standby frame can be newer than a scene in progress, but readers need times that never go back.
        if let last = state.shown?.rendering.time { preview.rendering = preview.rendering.held(until: last) }
        (state.shown, state.sender) = (preview, pthread_self())
        if let findings = drawn.findings { state.findings = findings }
        if isStandby || preview.matte != nil {
          for request in state.matteRequests { request.signal() }
          state.matteRequests = []
        }
        return (state.outputs, state.previews)
      }
      if isNews, case .standby(let reason) = drawn.picture, let error = reason.error {
        note(LiveNote(.standby, "standby: ", error))
      }
      guard let sinks else { return false }
      var isHidden = false
      for output in sinks.outputs {
        // An output may give a command that hides the picture from those after it.
        isHidden = !isStandby && !state.withLock { $0.director.allows(turn.permit) }
        if isHidden { break }
        give(output.name, to: { () throws(BackdropError) in try output.show(preview.rendering) }) {
          state.withLock { $0.outputs.removeAll { $0 === output } }
          output.close()
        }
      }
      for sink in isHidden ? [] : sinks.previews {
        give(sink.name, to: { () throws(BackdropError) in try sink.show(preview) }) {
          state.withLock { $0.previews.removeAll { $0 === sink } }
          sink.close()
        }
      }
      let taken: Double? = if case .scene(let taken) = drawn.picture { taken } else { nil }
      let end = MonotonicClock.seconds
      let recorder = state.withLock { state in
        state.sender = nil
        guard !isHidden else { return nil as LiveRecorder? }
        state.meter.pictureWent(end, taken: taken)
        return state.director.records(drawn.picture, drawnUnder: turn.permit) ? state.recorder : nil
      }
      recorder?.add(preview.rendering, preview.scene)
      return !isHidden
    }
  }

  /// Gives an output or a preview a picture; removes it with a note if it can show no more.
  private func give(_ name: String, to show: () throws(BackdropError) -> Void, remove: () -> Void) {
    do throws(BackdropError) {
      try pass(.show)
      try show()
    } catch {
      note(LiveNote(.trouble, "\(name) ends: ", error))
      remove()
    }
  }

  private func balance(_ turn: Turn, _ machine: MachineState, since start: Double) {
    let now = MonotonicClock.seconds
    let (before, after) = state.withLock { state in
      let use = turn.maxCPU.map { LoadController.high * state.meter.processorUse(now) / $0 } ?? 0
      let before = state.director.drew(in: now - start, use: use, floor: machine.floor, at: now)
      return (before, state.director.load.step)
    }
    guard let before else { return }
    let reason = machine.isHot ? " (the computer is hot)" : machine.isOnBattery ? " (on battery)" : ""
    let text =
      after > before
      ? "to keep up: \(after.summary ?? "")\(reason)" : "recovered: \(after.summary ?? "everything is done")"
    note(LiveNote(.load, text))
  }
}
