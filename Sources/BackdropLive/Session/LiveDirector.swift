import Backdrop

/// Decides what a live session shows. It gets events with their times and returns decisions; it has no thread and no clock.
///
/// For each picture, ``turn(at:_:)`` decides at the start what to draw, with a ``Permit``, and ``mayShow(_:drawnUnder:at:)`` decides at the
/// end whether that may still go out. In between, commands, viewers and the camera may change everything.
struct LiveDirector: Sendable {
  /// What the drawing thread does next.
  enum Decision: Sendable, Equatable {
    case scene
    /// Drop the waiting frame, because it comes sooner than the rate allows.
    case skip
    case standby(StandbyReason)
    /// Show the last picture again.
    case hold
    /// Wait for the next event, at most for so many seconds.
    case wait(Double)
    case end
  }

  /// Allows a picture to go out as long as nothing was hidden since its turn began.
  struct Permit: Sendable, Equatable {
    fileprivate var hidings: Int
  }

  /// A picture that is ready to go out.
  enum Picture: Sendable, Equatable {
    /// A scene, and when the camera took it.
    case scene(taken: Double)
    case held
    case standby(StandbyReason)

    var isStandby: Bool { if case .standby = self { true } else { false } }
  }

  /// The viewers at one moment.
  struct Viewers: Sendable {
    /// Whether anything watches: an output, a preview, a recording, or the settings that keep the camera on.
    var isAny = false
    var areOthers = false
  }

  struct Camera: Sendable {
    var name = "", mode = ""
    var isOn = false, hasDepth = false
    var rate = 30.0
    var fault: BackdropError?
    /// What a user does when it sends nothing.
    var silenceHint = ""
    /// When the camera was opened, and when its last sample came.
    var opened = -Double.infinity
    var lastSeen = -Double.infinity
  }

  /// The time after the last frame until the outputs get the standby frame, in seconds; a slow camera gets the time of three frames.
  private static let timeout = 0.6
  /// The interval between repeated standby frames, in seconds. They repeat because programs may start later and a background may move.
  private static let standbyPeriod = 0.1

  private(set) var isFrozen = false, isOnStandby = false, isPaused = false, isStopping = false
  private(set) var camera = Camera()
  private(set) var showing = LiveStatus.Showing.standby
  private(set) var reason = StandbyReason.starting
  private(set) var load = LoadController()
  private var rate: Double
  /// Counts what hides something: standby, pause, the real background forbidden, a first viewer who is somebody else.
  private var hidings = 0
  /// Counts changes of the settings; the last one that the engine has, and the last one of which the standby frame was shown.
  private var version = 0, applied = -1, standbyVersion = -1
  private var appliedStep = LoadStep.none, appliedToOthers = false
  private var refusal: BackdropError?
  /// The last picture: whether there is one, whether it is the standby frame, and the hidings under which it was drawn.
  private var isShown = false, isStandbyShown = false, shownUnder = 0
  /// When the camera took the frame that waits; `nil` without one.
  private var waiting: Double?
  private var lastScene = -Double.infinity, lastShown = -Double.infinity, nextDue = -Double.infinity

  /// - Parameter rate: the rate that the settings ask for, in pictures a second.
  init(rate: Double) { self.rate = rate }

  // MARK: - Events

  /// - Parameter rate: the rate that they ask for, in pictures a second.
  mutating func settingsChanged(rate: Double) { (version, self.rate) = (version + 1, rate) }

  /// The engine refused the settings in force: nobody sees pictures drawn with others.
  mutating func refuse(_ error: BackdropError) { refusal = error }

  /// No picture drawn before may go out any more.
  mutating func hide() { hidings += 1 }

  mutating func freeze(_ wanted: Bool?) { isFrozen = wanted ?? !isFrozen }

  /// - Returns: whether it is on now.
  mutating func standby(_ wanted: Bool?) -> Bool {
    isOnStandby = wanted ?? !isOnStandby
    if isOnStandby { hide() }
    return isOnStandby
  }

  /// - Returns: whether it is on now.
  mutating func pause(_ wanted: Bool?) -> Bool {
    isPaused = wanted ?? !isPaused
    if isPaused { hide() }
    return isPaused
  }

  mutating func stop() { isStopping = true }

  /// The camera was opened; returns whether it had been lost before.
  mutating func cameraOpened(_ new: Camera) -> Bool {
    defer { camera = new }
    return camera.fault != nil && !camera.name.isEmpty
  }

  mutating func cameraClosed() { (camera.isOn, waiting) = (false, nil) }

  /// - Returns: whether the fault is a new one.
  mutating func cameraLost(_ fault: BackdropError) -> Bool {
    defer { camera.fault = fault }
    return camera.fault != fault
  }

  /// A damaged picture came, which is no picture.
  mutating func pictureDamaged(_ fault: BackdropError) { camera.fault = fault }

  /// A sample came, not necessarily a whole frame.
  mutating func sampleCame(at now: Double) { camera.lastSeen = now }

  /// A frame came; returns whether it replaced one that was waiting.
  mutating func frameCame(taken: Double) -> Bool {
    defer { (waiting, camera.fault) = (taken, nil) }
    return waiting != nil
  }

  /// - Parameters:
  ///   - seconds: the time that it took.
  ///   - use: the processor's use, as a fraction of its limit.
  ///   - floor: the least load step that the machine's state asks for.
  /// - Returns: the load step before, if it changed.
  mutating func drew(in seconds: Double, use: Double, floor: LoadStep, at now: Double) -> LoadStep? {
    let before = load.step
    // A slow camera leaves each picture more time.
    let pace = min(limit, max(1, camera.rate))
    return load.update(load: max(seconds * pace, use), floor: floor, now: now) ? before : nil
  }

  // MARK: - Decisions

  /// The largest number of pictures a second.
  var limit: Double { load.step.rate(at: rate) }

  var hasFrame: Bool { waiting != nil }

  func wantsCamera(_ viewers: Viewers) -> Bool { !isPaused && viewers.isAny }

  /// Whether the engine needs the settings before the next picture. It is asked once for each change.
  mutating func mustApply(_ viewers: Viewers) -> Bool {
    guard version != applied || load.step != appliedStep || viewers.areOthers != appliedToOthers else { return false }
    (applied, appliedStep, appliedToOthers, refusal) = (version, load.step, viewers.areOthers, nil)
    return true
  }

  /// The permit of a picture that is drawn from now on.
  var permit: Permit { Permit(hidings: hidings) }

  /// The next picture.
  mutating func turn(at now: Double, _ viewers: Viewers) -> Decision {
    if isStopping { return .end }
    let isDue = now >= lastShown + Self.standbyPeriod
    let untilDue = max(0.001, lastShown + Self.standbyPeriod - now)
    guard viewers.isAny else {
      waiting = nil
      // The next viewer must not see the last frame from before.
      if applied != standbyVersion || !isStandbyShown { return .standby(.starting) }
      return isDue ? .hold : .wait(Self.standbyPeriod)
    }
    if let wanted = isOnStandby || isPaused ? .requested : refusal.map({ StandbyReason.fault($0) }) {
      waiting = nil
      return isDue || !isStandbyShown ? .standby(wanted) : .wait(untilDue)
    }
    if isFrozen, isShown, !isStandbyShown {
      waiting = nil
      return isDue ? .hold : .wait(untilDue)
    }
    if let taken = waiting { return turn(with: taken, at: now) }
    return turnWithoutFrame(at: now, isDue: isDue, untilDue)
  }

  private mutating func turn(with taken: Double, at now: Double) -> Decision {
    // The first scene loads the networks, which takes time.
    if lastScene == -.infinity {
      lastScene = now
      return .standby(.starting)
    }
    (waiting, lastScene) = (nil, now)
    // Frames of a camera with 30 frames per second arrive a little early or late, so half a frame is tolerated.
    if taken < nextDue - 0.5 / limit { return .skip }
    nextDue = max(nextDue + 1 / limit, taken + 0.5 / limit)
    return .scene
  }

  /// Waits briefly for the next frame, and shows the standby frame after a longer wait.
  private func turnWithoutFrame(at now: Double, isDue: Bool, _ untilDue: Double) -> Decision {
    let timeout = max(Self.timeout, 3 / max(1, camera.rate))
    let lastGood = max(lastScene, camera.opened)
    // A damaged picture is no picture; a camera that is lost is not on.
    if (camera.fault == nil || camera.isOn) && now < lastGood + timeout { return .wait(lastGood + timeout - now) }
    guard isDue || showing != .standby else { return .wait(untilDue) }
    guard camera.isOn, now >= lastGood + timeout else { return .standby(camera.fault.map { .fault($0) } ?? .starting) }
    let silent =
      camera.lastSeen < now - timeout
      ? BackdropError(.system, "the camera sends no pictures", hint: camera.silenceHint)
      : BackdropError(.system, "the camera's pictures and depth do not arrive together", hint: .usePersonMattes)
    return .standby(.fault(camera.fault ?? silent))
  }

  /// Whether a scene drawn under a permit may go out now.
  func allows(_ permit: Permit) -> Bool {
    permit.hidings == hidings && refusal == nil && !isOnStandby && !isPaused
  }

  var permitOfLast: Permit { Permit(hidings: shownUnder) }

  /// Decides whether a picture goes out, and notes that it does. The standby frame always goes.
  ///
  /// - Returns: whether it goes out; `isNews` if it is the standby frame for an error that nobody was told of.
  mutating func mayShow(_ picture: Picture, drawnUnder permit: Permit, at now: Double) -> (goes: Bool, isNews: Bool) {
    guard picture.isStandby || isStandbyShown && picture == .held || allows(permit) else { return (false, false) }
    var isNews = false
    switch picture {
    case .standby(let new):
      isNews = new.error != nil && (showing != .standby || reason.error != new.error)
      (showing, reason, isStandbyShown, standbyVersion) = (.standby, new, true, applied)
    case .scene: (showing, isStandbyShown) = (.scene, false)
    case .held: if !isStandbyShown { showing = .frozen }
    }
    (isShown, shownUnder, lastShown) = (true, hidings, now)
    return (true, isNews)
  }

  /// Whether a recording gets a picture that went out. A held picture is no new one.
  func records(_ picture: Picture, drawnUnder permit: Permit) -> Bool {
    switch picture {
    case .standby: true
    case .held: isStandbyShown
    case .scene: allows(permit)
    }
  }
}
