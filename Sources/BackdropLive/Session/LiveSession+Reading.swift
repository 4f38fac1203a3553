import Backdrop
import Dispatch

extension LiveSession {
  /// The seconds that the camera stays on after the last viewer left, because some programs close it and reopen it at once.
  private static let closeAfter = 2.0
  /// The interval between attempts to open a camera, in seconds.
  private static let retry = 1.0

  /// The main function of the camera thread.
  func read() {
    var source: SceneReader?
    var (opened, request) = ("", CameraRequest())
    var lastWanted = -Double.infinity
    var nextTry = -Double.infinity
    var slept = MonotonicClock.slept
    var follower: FaceFollower?
    // Without a watch, a camera that returns is found a little later.
    var watch: DeviceWatch?
    do throws(BackdropError) { watch = try DeviceWatch.open() } catch { note(LiveNote(.trouble, "", error)) }
    while true {
      let (isStopping, isPaused, isWanted, settings) = state.withLock { state in
        let director = state.director
        return (director.isStopping, director.isPaused, director.wantsCamera(state.viewers), state.settings)
      }
      if isStopping { return }
      let now = MonotonicClock.seconds
      if isWanted { lastWanted = now }
      let woke = MonotonicClock.slept
      if woke > slept + 1 {
        note(LiveNote(.camera, "the computer slept; Backdrop opens the camera again"))
        close(&source, nil)
        nextTry = now
      }
      slept = woke
      let isOther = settings.camera != opened || settings.request != request
      if source != nil, isPaused || isOther || now > lastWanted + Self.closeAfter { close(&source, nil) }
      guard source != nil else {
        // An idle session checks for viewers only every 0.1 s.
        guard now <= lastWanted, now >= nextTry || settings.camera != opened || watch?.hasChanged() == true else {
          _ = reading.wait(timeout: .now() + 0.1)
          continue
        }
        (opened, request) = (settings.camera, settings.request)
        do throws(BackdropError) {
          try pass(.open)
          let new = try inputs.open(opened, request: request)
          source = SceneReader(new)
          let camera = LiveDirector.Camera(
            name: new.name, mode: new.modeText, isOn: true, hasDepth: new.hasDepth, rate: new.rate,
            silenceHint: new.silenceHint, opened: now, lastSeen: now)
          let wasLost = state.withLock { $0.director.cameraOpened(camera) }
          note(
            LiveNote(
              .camera,
              (wasLost ? "the camera is back: " : "camera: ") + "\(new.name) (\(new.modeText))"
                + (new.hasDepth ? "" : ", without depth; the person network finds people")))
        } catch {
          nextTry = MonotonicClock.seconds + Self.retry
          lose(error)
        }
        continue
      }
      do throws(BackdropError) {
        try pass(.read)
        guard let sample = try source?.wait(within: 0.1) else { continue }
        try pass(.join)
        source?.join(sample)
        let came = MonotonicClock.seconds
        state.withLock { $0.director.sampleCame(at: came) }
        while let frame = source?.next(at: MonotonicClock.seconds) {
          try pass(.shape)
          try offer(frame, settings, &follower)
        }
      } catch  where source?.passesOver(error) == true {
        state.withLock { state in
          state.director.pictureDamaged(error)
          state.meter.damaged += 1
        }
      } catch {
        close(&source, error)
        nextTry = MonotonicClock.seconds + Self.retry
      }
    }
  }

  /// Passes a frame to the drawing thread; it replaces an older frame that is still waiting.
  private func offer(_ frame: Scene, _ settings: LiveSettings, _ follower: inout FaceFollower?) throws(BackdropError) {
    let framing = LiveFraming(
      width: width, height: height, format: .i420, mirror: settings.mirror, turns: settings.turns, fit: settings.fit)
    var shaped = try framing.apply(frame, pool: pool)
    if settings.followsFace { shaped = follow(shaped, &follower) } else { follower = nil }
    state.withLock { state in
      if state.director.frameCame(taken: shaped.time) { state.meter.dropped += 1 }
      state.newest = shaped
      state.meter.frameCame(MonotonicClock.seconds)
    }
    drawing.signal()
  }

  /// Crops a frame to the part with the face. If face detection is unavailable, reports that, switches following off and returns the
  /// whole frame.
  private func follow(_ frame: Scene, _ follower: inout FaceFollower?) -> Scene {
    do throws(BackdropError) {
      let eye = if let follower { follower } else { try FaceFollower() }
      follower = eye
      return try eye.follow(frame)
    } catch {
      note(LiveNote(.trouble, "Backdrop cannot follow a face: ", error))
      // Settings that were valid are so without it.
      try? change { settings, _ in settings.followsFace = false }
      return frame
    }
  }

  private func close(_ source: inout SceneReader?, _ fault: BackdropError?) {
    source = nil
    state.withLock { state in
      state.director.cameraClosed()
      state.newest = nil
    }
    if let fault { lose(fault) }
    drawing.signal()
  }

  private func lose(_ fault: BackdropError) {
    let isNew = state.withLock { $0.director.cameraLost(fault) }
    if isNew { note(LiveNote(.camera, "Backdrop lost the camera: ", fault)) }
    drawing.signal()
  }
}
