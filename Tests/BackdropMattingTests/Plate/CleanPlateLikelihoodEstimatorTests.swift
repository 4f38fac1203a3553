import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropDepth
@testable import BackdropMatting

extension CleanPlateLikelihoodEstimator {
  /// Joins the network's matte with the plate's likelihood.
  fileprivate func better(_ matte: inout Matte, with picture: Image) throws {
    guard let likelihood = try likelihood(of: matte, in: picture) else { return }
    #expect(likelihood.confidence == trust && trust > 0)
    try MatteFusion().join(&matte, [likelihood])
  }
}

/// A correct plate improves mattes, and a wrong plate does no harm. The scene's truth is exact.
@Suite struct CleanPlateLikelihoodEstimatorTests {
  private static let seeds: [UInt64] = [11, 12, 13]

  /// Mean errors over the frames, without and with the plate.
  private func errors(
    _ scene: PlateScene, _ estimator: CleanPlateLikelihoodEstimator, frames: Range<Int>,
    change: (Int) -> PlateScene? = { _ in nil }
  ) throws -> (without: Double, with: Double) {
    var (without, with) = (0.0, 0.0)
    for frame in frames {
      let scene = change(frame) ?? scene
      var matte = scene.network(frame)
      let truth = scene.truth(frame)
      without += meanError(matte, truth)
      try estimator.better(&matte, with: scene.picture(frame))
      with += meanError(matte, truth)
    }
    return (without / Double(frames.count), with / Double(frames.count))
  }

  private func cleanPlate(_ seed: UInt64, change: (inout PlateScene) -> Void = { _ in }) -> Image {
    var scene = PlateScene(seed: seed)
    scene.hasPerson = false
    change(&scene)
    return scene.picture(1000)
  }

  @Test(arguments: seeds)
  func aCleanPlateTakesAwayHalfTheError(_ seed: UInt64) throws {
    let result = try errors(
      PlateScene(seed: seed), CleanPlateLikelihoodEstimator(picture: cleanPlate(seed)), frames: 0..<30)
    #expect(result.with < 0.5 * result.without, "seed \(seed): \(result)")
  }

  /// Other exposure: the frames differ from the plate by a factor.
  @Test(arguments: seeds, [Float(0.7), 1.25])
  func otherLightHelpsToo(_ seed: UInt64, _ light: Float) throws {
    var scene = PlateScene(seed: seed)
    scene.light = light
    let result = try errors(scene, CleanPlateLikelihoodEstimator(picture: cleanPlate(seed)), frames: 0..<30)
    #expect(result.with < 0.6 * result.without, "seed \(seed): \(result)")
  }

  @Test(arguments: seeds)
  func aShiftOfASampleHelpsToo(_ seed: UInt64) throws {
    let plate = cleanPlate(seed) { $0.shift = (1, -1) }
    let result = try errors(PlateScene(seed: seed), CleanPlateLikelihoodEstimator(picture: plate), frames: 0..<30)
    #expect(result.with < 0.7 * result.without, "seed \(seed): \(result)")
  }

  enum Wrong: String, CaseIterable, CustomTestStringConvertible {
    case noise, flat, anotherView, shiftedFar, shiftedSome, withThePerson, withSomebodyElsewhere, halfAnotherView,
      unknown
    var testDescription: String { rawValue }
  }

  /// Whatever the plate contains, the error increases by less than 2 %.
  @Test(arguments: seeds, Wrong.allCases)
  func aWrongPlateDoesNoHarm(_ seed: UInt64, _ wrong: Wrong) throws {
    var plate: Image
    switch wrong {
    case .noise:
      var random = SeededRandom(seed: seed)
      plate = cleanPlate(seed)
      for y in 0..<plate.height {
        var row = plate.mutableRow(y)
        for x in row.indices where x % 4 < 3 { row[x] = UInt8(truncatingIfNeeded: random.next()) }
      }
    case .flat:
      plate = cleanPlate(seed)
      plate.fill(RGBColor(red: 0.35, green: 0.35, blue: 0.35))
    case .anotherView: plate = cleanPlate(seed + 100)
    case .shiftedFar: plate = cleanPlate(seed) { $0.shift = (17, 9) }
    case .shiftedSome: plate = cleanPlate(seed) { $0.shift = (4, 3) }
    case .withThePerson: plate = PlateScene(seed: seed).picture(5)
    case .withSomebodyElsewhere: plate = PlateScene(seed: seed).picture(18)
    case .halfAnotherView:
      plate = cleanPlate(seed)
      let other = cleanPlate(seed + 100)
      plate.paste(try other.cropped(x: 0, y: 0, width: plate.width / 2, height: plate.height), x: 0, y: 0)
    case .unknown:
      plate = cleanPlate(seed).converted(to: .rgba8)
      plate.alpha = .straight
      for y in 0..<plate.height {
        var row = plate.mutableRow(y)
        for x in 0..<PlateScene.width { row[4 * x + 3] = 0 }
      }
    }
    let result = try errors(PlateScene(seed: seed), CleanPlateLikelihoodEstimator(picture: plate), frames: 0..<30)
    #expect(result.with < 1.02 * result.without + 1e-5, "seed \(seed): \(result)")
  }

  /// The plate cannot distinguish a person in the wall's colours, and must not remove that person.
  @Test(arguments: seeds)
  func aPersonInTheWallsColoursStays(_ seed: UInt64) throws {
    var scene = PlateScene(seed: seed)
    scene.isCamouflaged = true
    let given = try errors(scene, CleanPlateLikelihoodEstimator(picture: cleanPlate(seed)), frames: 0..<30)
    #expect(given.with < 1.02 * given.without, "seed \(seed): \(given)")
  }

  enum Motion: String, CaseIterable, CustomTestStringConvertible {
    case slowPan, pan, jumps, shake
    var testDescription: String { rawValue }

    func shift(_ frame: Int) -> (Int, Int) {
      switch self {
      case .slowPan: (frame / 4, 0)
      case .pan: (2 * frame, frame / 2)
      case .jumps: (frame / 10 * 37, frame / 10 * 11)
      case .shake: ([0, 2, 1, -2, 3, -1][frame % 6], [1, 0, -2, 2, -1][frame % 5])
      }
    }
  }

  @Test(arguments: seeds, Motion.allCases)
  func aMovingCameraDoesNoHarm(_ seed: UInt64, _ motion: Motion) throws {
    let scene = PlateScene(seed: seed)
    func moved(_ frame: Int) -> PlateScene {
      var result = scene
      result.shift = motion.shift(frame)
      return result
    }
    let given = try errors(
      scene, CleanPlateLikelihoodEstimator(picture: cleanPlate(seed)), frames: 0..<60, change: moved)
    #expect(given.with < 1.02 * given.without, "seed \(seed): \(given)")
  }

  @Test func refusesAnotherSizeAndPassesTinyOnes() throws {
    let estimator = CleanPlateLikelihoodEstimator(picture: Image(.bgra8, width: 64, height: 48))
    var matte = Matte(constant: 0.5, width: 40, height: 30)
    #expect(throws: BackdropError.self) {
      try estimator.better(&matte, with: Image(.bgra8, width: 41, height: 30))
    }
    for (width, height) in [(1, 1), (15, 40), (16, 16), (17, 33)] {
      var matte = Matte(constant: 0, width: width, height: height)
      for _ in 0..<6 { try estimator.better(&matte, with: Image(.bgra8, width: width, height: height)) }
      #expect(matte.coverage == 0)
    }
  }

  @Test(arguments: [PixelFormat.rgb8, .i420, .nv12, .yuyv])
  func takesEveryFormat(_ format: PixelFormat) throws {
    let scene = PlateScene(seed: 21)
    let estimator = CleanPlateLikelihoodEstimator(picture: cleanPlate(21).converted(to: format))
    var matte = scene.network(0)
    let before = meanError(matte, scene.truth(0))
    try estimator.better(&matte, with: scene.picture(0).converted(to: format))
    #expect(meanError(matte, scene.truth(0)) < 0.7 * before)
  }
}
