import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropSimulation

/// The visible share of the real background, and its limit.
@Suite struct PrivacyGuardTests {
  /// A matte that is opaque in some columns of 64.
  private func matte(_ columns: Range<Int>, opacity: Double = 1, _ width: Int = 64, _ height: Int = 36) -> Matte {
    var matte = Matte(constant: 0, width: width, height: height)
    for (y, x) in product(0..<height, columns.clamped(to: 0..<width)) { matte.q15[x, y] = UInt16(opacity * 32768) }
    return matte
  }

  private func exposed(_ look: Look, _ matte: Matte, seenBy mattes: [Matte]) throws -> Double {
    var evidence = Evidence()
    evidence.independentMattes = mattes.map { Evidence.CoarseMatte($0) }
    var judge = PrivacyGuard(look, try look.settings())
    return judge.exposedBackground(matte, evidence)
  }

  /// The guard counts columns beyond the rim of a detected person, to a 64th.
  @Test func countsWhatNobodySees() throws {
    // `backdrop` has a rim of 4 × 5 of 640 pixels, two columns.
    #expect(try exposed(.backdrop, matte(0..<30), seenBy: [matte(0..<28)]) == 0)
    #expect(try exposed(.backdrop, matte(0..<40), seenBy: [matte(0..<28)]) == 10.0 / 64)
    // With two sources one of them is enough, whether the person is left or right of the shown area.
    #expect(try exposed(.backdrop, matte(0..<40), seenBy: [matte(0..<28), matte(30..<39)]) == 0)
    #expect(try exposed(.backdrop, matte(20..<60), seenBy: [matte(40..<60)]) == 18.0 / 64)
    // `halo` declares a rim of an eighth.
    #expect(try exposed(.halo, matte(0..<36), seenBy: [matte(0..<28)]) == 0)
    #expect(try exposed(.halo, matte(0..<40), seenBy: [matte(0..<28)]) == 4.0 / 64)
    // No source sees a person.
    #expect(try exposed(.backdrop, matte(0..<16), seenBy: [matte(0..<0)]) == 0.25)
    // A portrait picture has as many samples.
    #expect(
      try exposed(.backdrop, matte(0..<18, opacity: 1, 36, 64), seenBy: [matte(0..<0, opacity: 1, 36, 64)]) == 0.5)
  }

  @Test func whatIsThinIsNotLegible() throws {
    #expect(try exposed(.backdrop, matte(0..<40, opacity: 0.29), seenBy: [matte(0..<0)]) == 0)
    #expect(try exposed(.backdrop, matte(0..<32, opacity: 0.34), seenBy: [matte(0..<0)]) == 0.5)
  }

  @Test func theWholePicture() throws {
    // A matte of the whole picture counts even if a person fills it.
    #expect(try exposed(.backdrop, Matte(constant: 1, width: 1, height: 1), seenBy: [matte(0..<64)]) == 1)
    // A look that shows the real background on purpose has no limit, and a look that needs no subject has no coarse mattes.
    #expect(try exposed(.noir, matte(0..<40), seenBy: [matte(0..<0)]) == 0)
    #expect(try exposed(.backdrop, matte(0..<40), seenBy: []) == 0)
    // A look file cannot declare a wider rim than `halo`.
    var own = Look.halo
    own.matte = .depth(cutoff: 1, margin: 0.25, sigma: 50, gamma: 0.05)
    #expect(try exposed(own, matte(0..<40), seenBy: [matte(0..<28)]) == 4.0 / 64)
  }

  // MARK: - By the whole engine

  /// The picture of a live session with the simulated camera, and the visible share of the real background where the camera knows that
  /// there is no person, beyond a rim. Drawing on black and on white reveals the opacity, whatever the frame's colours (Smith and Blinn,
  /// "Blue Screen Matting", SIGGRAPH 1996), so removing the old background's colours does not change the result.
  private func shown(
    _ address: String, _ look: Look, _ values: [String: Double], _ mattes: MatteChoice, decontaminates: Bool? = nil,
    networks: ModelCache = ModelCache(), _ change: (inout AnalyzerOptions) -> Void = { _ in }
  ) throws -> (isStandby: Bool, exposed: Double) {
    let (width, height) = (320, 180)
    let simulated = try SimulatedCamera(address: "\(address)?size=\(width)x\(height)").frame(7)
    var options = AnalyzerOptions()
    options.mattes = mattes
    change(&options)
    var scene = simulated.frame
    if mattes == .person { (scene.depth, scene.faces) = (nil, nil) }
    var settings = StreamSettings(look)
    (settings.values, settings.analysis, settings.drawing.decontaminates) = (values, options, decontaminates)
    let workers = WorkerPool(threads: 1)
    var drawn: [Image] = []
    for color in ["#000000", "#ffffff"] {
      settings.background = try BackgroundChoice(parsing: color)
      let engine = try StreamEngine(
        settings, StreamDescription(width: width, height: height, hasDepth: scene.depth != nil), for: .live(rate: nil),
        workers: workers, networks: networks)
      var spare = Image(.bgra8, width: width, height: height)
      let rendering = engine.render(scene, into: &spare).rendering
      guard !rendering.isStandby else { return (true, 0) }
      drawn.append(rendering.image.converted(to: .rgba8))
    }
    // Beyond the look's declared rim, and a sample of the guard's grid.
    let rim = max(2, (min(4 * look.usualEdge / 640, 0.125) * 64).rounded(.up))
    let person = try simulated.alpha.dilated(.square(radius: Int(rim + 1) * 5))
    var exposed = 0
    let (beforeBlack, beforeWhite) = (drawn[0], drawn[1])
    for y in 0..<height {
      let black = beforeBlack.row(y)
      let white = beforeWhite.row(y)
      for x in 0..<width where person[x, y] == 0 {
        if Double(Int(white[4 * x + 1]) - Int(black[4 * x + 1])) < 0.6 * 255 { exposed += 1 }
      }
    }
    return (false, Double(exposed) / Double(width * height))
  }

  /// With settings that extend the matte over the real background, the session shows the standby frame or almost nothing of it.
  @Test(arguments: [
    ["cutoff": 20.0], ["cutoff": 2], ["margin": 10], ["margin": 1.5], ["gamma": 0.05, "radius": 50],
    ["gamma": 0.2, "radius": 20], ["radius": 50], ["cutoff": 20, "margin": 10, "gamma": 20],
  ]) func parametersThatExposeTheBackground(values: [String: Double]) throws {
    for address in ["sim:talking", "sim:two-people", "sim:dark"] {
      let outcome = try shown(address, .backdrop, values, .depth) { $0.followsFace = values["cutoff"] == nil }
      #expect(outcome.isStandby || outcome.exposed < 0.06, "\(address) \(values): \(outcome.exposed)")
    }
    let usual = try shown("sim:talking", .backdrop, [:], .depth)
    #expect(!usual.isStandby && usual.exposed < 0.01)
  }

  /// With any settings, the session shows the standby frame or almost nothing of the real background.
  @Test(
    .enabled(
      if: NetworkRuntime.isInstalled && ModelStore().isComplete, "needs the network runtime: backdrop models install"),
    arguments: MatteChoice.allCases, [true, false])
  func anyParameters(mattes: MatteChoice, decontaminates: Bool) throws {
    let seed = UInt64.random(in: 0..<UInt64.max)
    var random = SeededRandom(seed: seed)
    var isShown = 0
    let networks = ModelCache()
    for _ in 0..<16 {
      func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
      let values = [
        "cutoff": pick([0.8, 1, 1.5, 2, 2.5, 20]), "margin": pick([0, 0.25, 1, 1.4, 10]),
        "radius": pick([0, 5, 5, 20, 50]), "gamma": pick([0.05, 0.2, 0.5, 0.5, 2, 20]),
      ]
      let (threshold, address) = (
        pick([nil, nil, 0.05, 0.3, 0.9]), pick(["sim:talking", "sim:mug", "sim:two-people"])
      )
      let (follows, look) = (pick([true, false]), pick([Look.backdrop, .sharp, .soft, .hologram]))
      let outcome = try shown(address, look, values, mattes, decontaminates: decontaminates, networks: networks) {
        ($0.followsFace, $0.person.threshold) = (follows, threshold)
      }
      isShown += outcome.isStandby ? 0 : 1
      #expect(
        outcome.isStandby || outcome.exposed < 0.08,
        "seed \(seed): \(decontaminates) \(look.id) \(address) \(values) \(String(describing: threshold)) \(follows): \(outcome.exposed)"
      )
    }
    // No simulated scene has a screen.
    if mattes == .chroma {
      #expect(isShown == 0)
    } else {
      #expect(isShown > 0, "seed \(seed): always the standby frame")
    }
  }
}
