import Backdrop
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropLive

/// Random orders of events: whatever happens between a turn and its end, nothing hidden goes out.
@Suite struct LiveDirectorTests {
  /// A session of one drawing thread around a director, whose events happen at random, also while a picture is drawn.
  private struct Model {
    var director = LiveDirector(rate: 30)
    var random: SeededRandom
    var viewers = LiveDirector.Viewers(isAny: true, areOthers: true)
    var now = 100.0
    /// Counts everything that must keep earlier pictures from going out; the settings' versions; those that the engine has.
    var hidden = 0, version = 0, engine = -1
    var forbids: Bool { director.isOnStandby || director.isPaused }
    var frame: Double?
    var drawnFrames: Set<Double> = []
    var lastFrame = 100.0
    /// The hidings under which the held picture was drawn; `nil` if it is the standby frame.
    var held: Int?
    var recorded: [LiveDirector.Picture] = [], shown: [LiveDirector.Picture] = []
    var faults: [String] = []
    var isCameraOn = false
    var engineRefuses = false
    private static let choices: [Bool?] = [nil, true, false]

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    mutating func event() {
      now += Double.random(in: 0...0.05, using: &random)
      switch Int.random(in: 0..<14, using: &random) {
      case 0: if director.standby(Self.choices.randomElement(using: &random)!) { hidden += 1 }
      case 1: if director.pause(Self.choices.randomElement(using: &random)!) { hidden += 1 }
      case 2: director.freeze(Self.choices.randomElement(using: &random)!)
      case 3:
        version += 1
        director.settingsChanged(rate: [15, 30, 60].randomElement(using: &random)!)
      case 4:
        director.hide()
        hidden += 1
      case 5: viewers.isAny = !chance(4)
      case 6:
        let areOthers = chance(2)
        if areOthers && !viewers.areOthers {
          director.hide()
          hidden += 1
        }
        viewers.areOthers = areOthers
      case 7:
        _ = director.cameraOpened(LiveDirector.Camera(name: "stage", isOn: true, opened: now, lastSeen: now))
        isCameraOn = true
      case 8:
        director.cameraClosed()
        (frame, isCameraOn) = (nil, false)
        if chance(2) { _ = director.cameraLost(BackdropError(.system, "gone")) }
      case 9: director.pictureDamaged(BackdropError(.badData, "damaged"))
      case 10: engineRefuses = chance(4)
      default:
        guard isCameraOn else { return }
        director.sampleCame(at: now)
        _ = director.frameCame(taken: now)
        (frame, lastFrame) = (now, now)
      }
    }

    /// One round of the drawing thread.
    mutating func round() {
      let applies = director.mustApply(viewers)
      let decision = director.turn(at: now, viewers)
      let permit = decision == .hold ? director.permitOfLast : director.permit
      let began = hidden
      if !director.hasFrame && decision != .scene { frame = nil }
      if applies {
        if engineRefuses {
          director.refuse(BackdropError(.badData, "no such picture"))
          return
        }
        engine = version
      }
      let drawnWith = engine
      let wanted = version
      switch decision {
      case .end: break
      case .skip: frame = nil
      case .wait(let seconds):
        if !(seconds > 0 && seconds < 10) { faults.append("waits \(seconds) s") }
        now += min(seconds, 0.1)
      case .hold: end(.held, permit, began: held ?? began, drawnWith, wanted)
      case .standby(let reason): end(.standby(reason), permit, began: began, drawnWith, wanted)
      case .scene:
        guard let taken = frame else { return faults.append("draws a scene without a frame") }
        if director.isFrozen && held != nil { faults.append("draws although the picture is frozen") }
        frame = nil
        if !drawnFrames.insert(taken).inserted { faults.append("draws a frame twice") }
        if drawnWith != wanted { faults.append("draws with settings that are not in force") }
        // Drawing takes time, in which everything may happen.
        while chance(2) { event() }
        end(chance(10) ? .standby(.subjectLost) : .scene(taken: taken), permit, began: began, drawnWith, wanted)
      }
    }

    mutating func end(
      _ picture: LiveDirector.Picture, _ permit: LiveDirector.Permit, began: Int, _ drawnWith: Int, _ wanted: Int
    ) {
      let isScene = !picture.isStandby && !(picture == .held && held == nil)
      let mustHide = isScene && (began != hidden || forbids)
      let goes = director.mayShow(picture, drawnUnder: permit, at: now).goes
      if goes && mustHide { faults.append("\(picture) goes out although it is hidden") }
      if goes && isScene && picture != .held && drawnWith < wanted { faults.append("old settings go out") }
      if !goes && !isScene { faults.append("the standby frame does not go out") }
      guard goes else { return }
      shown.append(picture)
      switch picture {
      case .scene: held = hidden
      case .standby: held = nil
      case .held: break
      }
      if director.showing == .standby && held != nil { faults.append("the status says standby over a scene") }
      // An output may give a command while it takes the picture.
      let before = hidden
      while chance(4) { event() }
      let records = director.records(picture, drawnUnder: permit)
      if records && isScene && (before != hidden || forbids) { faults.append("the recording gets a hidden picture") }
      if records && picture == .held && isScene { faults.append("the recording gets a picture twice") }
      if records { recorded.append(picture) }
    }
  }

  @Test func tenThousandRandomOrders() {
    for seed in UInt64(0)..<10_000 {
      var model = Model(seed: seed)
      for _ in 0..<60 {
        while model.chance(2) { model.event() }
        model.round()
      }
      if let fault = model.faults.first {
        Issue.record("seed \(seed): \(fault)")
        return
      }
    }
  }

  /// Scenes come, are recorded and held; the orders above would hold for a director that shows nothing.
  @Test func showsScenes() {
    var kinds: [String: Int] = [:], recorded = 0
    for seed in UInt64(0)..<2000 {
      var model = Model(seed: seed)
      for _ in 0..<60 {
        while model.chance(2) { model.event() }
        model.round()
      }
      for picture in model.shown {
        switch picture {
        case .scene: kinds["scene", default: 0] += 1
        case .held: kinds["held", default: 0] += 1
        case .standby: kinds["standby", default: 0] += 1
        }
      }
      recorded += model.recorded.count
    }
    #expect(kinds.count == 3 && kinds.values.allSatisfy { $0 > 100 } && recorded > 1000, "\(kinds), \(recorded)")
  }

  /// After the last frame the standby frame comes within 0.6 s and the time of a turn, and repeats.
  @Test(arguments: [5.0, 30]) func aSilentCamera(rate: Double) {
    var director = LiveDirector(rate: 30)
    let viewers = LiveDirector.Viewers(isAny: true, areOthers: true)
    _ = director.cameraOpened(LiveDirector.Camera(name: "stage", isOn: true, rate: rate, opened: 0, lastSeen: 0))
    _ = director.mustApply(viewers)
    var now = 0.0, standbys: [Double] = [], scenes = 0
    while now < 4 {
      if now < 2, scenes < Int(now * rate) || scenes == 0 { _ = director.frameCame(taken: now) }
      switch director.turn(at: now, viewers) {
      case .scene:
        scenes += 1
        _ = director.mayShow(.scene(taken: now), drawnUnder: director.permit, at: now)
        now += 0.001
      case .standby(let reason):
        if now > 2 {
          #expect(reason.error?.message == "the camera sends no pictures")
          standbys.append(now)
        }
        _ = director.mayShow(.standby(reason), drawnUnder: director.permit, at: now)
      case .wait(let seconds): now += min(seconds, 0.01)
      case .skip, .hold, .end: now += 0.001
      }
    }
    let timeout = max(0.6, 3 / rate)
    #expect(scenes > 5)
    #expect(
      standbys.first.map { $0 < 2 + timeout + 0.05 } == true && standbys.count > Int(9 * (2 - timeout)), "\(standbys)")
  }

  /// News is told once: a camera that was lost, that came back, and the error that viewers see the standby frame for.
  @Test func newsIsToldOnce() {
    var director = LiveDirector(rate: 30)
    let (gone, other) = (BackdropError(.system, "gone"), BackdropError(.system, "burnt"))
    let camera = LiveDirector.Camera(name: "stage", isOn: true, opened: 0, lastSeen: 0)
    let losses = [director.cameraLost(gone), director.cameraLost(gone), director.cameraLost(other)]
    #expect(losses == [true, false, true])
    // It was never open, so it is not back.
    let first = director.cameraOpened(camera)
    _ = director.cameraLost(gone)
    let (second, third) = (director.cameraOpened(camera), director.cameraOpened(camera))
    #expect([first, second, third] == [false, true, false])
    let replaced = [director.frameCame(taken: 1), director.frameCame(taken: 2)]
    #expect(replaced == [false, true])
    func isNews(_ reason: StandbyReason) -> Bool {
      director.mayShow(.standby(reason), drawnUnder: director.permit, at: 1).isNews
    }
    let news = [StandbyReason.starting, .fault(gone), .fault(gone), .fault(other), .requested, .fault(other)].map(
      isNews)
    #expect(news == [false, true, false, true, false, true])
    _ = director.mustApply(LiveDirector.Viewers(isAny: true, areOthers: true))
    let goes = director.mayShow(.scene(taken: 2), drawnUnder: director.permit, at: 2).goes
    let again = isNews(.fault(other))
    #expect(goes && again)
  }

  /// A picture may take the time until the camera's next one, if that is longer than the settings ask for.
  @Test func aSlowCameraLeavesTime() {
    var director = LiveDirector(rate: 30)
    _ = director.cameraOpened(LiveDirector.Camera(name: "stage", isOn: true, rate: 15, opened: 0, lastSeen: 0))
    for index in 0..<150 { _ = director.drew(in: 0.05, use: 0, floor: .none, at: Double(index) / 15) }
    #expect(director.load.step == .none)
    for index in 150..<180 { _ = director.drew(in: 0.06, use: 0, floor: .none, at: Double(index) / 15) }
    #expect(director.load.step == .halfMattes)
  }

  /// The steps of the load never ask for more pictures than the settings.
  @Test func aLowRateStaysTheLimit() {
    var director = LiveDirector(rate: 15)
    for index in 0..<150 {
      _ = director.drew(in: 0.1, use: 0, floor: .none, at: Double(index) / 15)
      #expect(director.limit == 15, "\(director.load.step)")
    }
    #expect(director.load.step == .rate15)
  }

  /// A change that the engine refuses shows the standby frame with the reason until another change is accepted.
  @Test func aRefusedChange() {
    var director = LiveDirector(rate: 30)
    let viewers = LiveDirector.Viewers(isAny: true, areOthers: true)
    /// A frame comes: what is decided, whether settings are to be applied before, and the permit.
    func frame(_ time: Double) -> (LiveDirector.Decision, Bool, LiveDirector.Permit) {
      _ = director.frameCame(taken: time)
      let applies = director.mustApply(viewers)
      return (director.turn(at: time, viewers), applies, director.permit)
    }
    func goes(_ permit: LiveDirector.Permit, _ time: Double) -> Bool {
      director.mayShow(.scene(taken: time), drawnUnder: permit, at: time).goes
    }
    _ = director.cameraOpened(LiveDirector.Camera(name: "stage", isOn: true, opened: 0, lastSeen: 0))
    let loading = frame(0)
    #expect(loading.0 == .standby(.starting) && loading.1)
    let first = frame(0.1)
    #expect(first.0 == .scene && !first.1)
    director.settingsChanged(rate: 30)
    let error = BackdropError(.wrongArgument, "no such file")
    let refused = frame(0.2)
    #expect(refused.1)
    director.refuse(error)
    let (oldGoes, newGoes) = (goes(first.2, 0.2), goes(refused.2, 0.2))
    #expect(!oldGoes && !newGoes)
    let after = frame(0.3)
    #expect(after.0 == .standby(.fault(error)) && !after.1)
    director.settingsChanged(rate: 30)
    let accepted = frame(0.4)
    #expect(accepted.0 == .scene && accepted.1)
    let acceptedGoes = goes(accepted.2, 0.4)
    #expect(acceptedGoes)
  }
}
