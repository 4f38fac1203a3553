import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropDepth
@testable import BackdropMatting

/// The straight edge of a coat in front of blinds and bricks, whose light parts have nearly the coat's colour. A plain guided filter draws
/// combs there.
@Suite struct CombTests {
  static let scenes: [CombScene] = CombScene.Texture.allCases.flatMap { texture in
    [12, 24, 48, 80].flatMap { period in
      CombScene.Contrast.allCases.map { CombScene(texture: texture, period: period, contrast: $0) }
    }
  }

  /// Tests the detector: the plain guided filter draws combs, and the network's own matte has none.
  @Test(arguments: CombScene.Texture.allCases)
  func theDetectorSeesCombs(_ texture: CombScene.Texture) throws {
    let scene = CombScene(texture: texture, period: 48, contrast: .blinds)
    let plain = try GuidedOracle.refine(scene.coarse, of: scene.picture, .live, isPlain: true)
    let combed = scene.comb { plain[$1 * scene.width + $0] }
    #expect(combed > 3)
    let smooth = scene.coarse.scaled(toWidth: scene.width, height: scene.height)
    #expect(scene.comb { smooth[$0, $1] } < 0.01)
    // A comb of known size: half of the rows end 8 pixels farther, so eight columns have a deviation of one half.
    let teeth = scene.comb { x, y in Double(x) < Double(scene.width) * CombScene.edge + (y % 24 < 12 ? 8 : 0) ? 1 : 0 }
    #expect(abs(teeth - 4) < 0.1)
  }

  @Test(arguments: CPULevel.supported, scenes)
  func liveRefinementDrawsNone(_ cpu: CPULevel, _ scene: CombScene) throws {
    for settings in [MatteRefinement.live, .liveOfMany] {
      var refined = Matte(constant: 0, width: 1, height: 1)
      try MatteRefiner(settings, workers: WorkerPool(threads: 1), cpu: cpu).refine(
        scene.coarse, of: scene.picture, into: &refined)
      try check(refined, scene)
    }
  }

  @Test(arguments: CPULevel.supported, scenes)
  func bestRefinementDrawsNone(_ cpu: CPULevel, _ scene: CombScene) throws {
    let workers = WorkerPool(threads: 1)
    var refined = Matte(constant: 0, width: 1, height: 1)
    let refiner = MatteRefiner(.bestOfNetworks, workers: workers, cpu: cpu)
    try refiner.refine(scene.coarse.scaled(toWidth: 640, height: 360), of: scene.picture, into: &refined)
    try check(refined, scene)
  }

  /// The closed-form step, which has no levels, uses the refiner's opacity where colours cannot be trusted.
  @Test(arguments: scenes)
  func closedFormTrustsColoursWhereTheRefinerDoes(_ scene: CombScene) throws {
    let workers = WorkerPool(threads: 1)
    var refined = Matte(constant: 0, width: 1, height: 1)
    let refiner = MatteRefiner(.bestOfNetworks, workers: workers)
    try refiner.refine(scene.coarse.scaled(toWidth: 640, height: 360), of: scene.picture, into: &refined)
    var trusting = refined
    try ClosedFormMatting(workers: workers).solve(&trusting, of: scene.picture)
    try ClosedFormMatting(workers: workers).solve(&refined, of: scene.picture, trust: refiner.trust)
    // Colours distinguish this coat from the wall.
    guard scene.contrast != .darker else { return try check(refined, scene) }
    #expect(scene.comb { refined[$0, $1] } <= scene.comb { trusting[$0, $1] } + 0.01)
    // Even so, its windows of 3×3 samples follow light slats outwards by up to two pixels.
    try check(refined, scene, largest: Self.largestComb + 2)
  }

  /// The largest allowed width of a comb, in pixels: a third of a sample of the network, which has 256 across.
  private static let largestComb = 1280.0 / 256 / 3

  /// Expects a comb of at most `largest`, and a matte at least as good as the unrefined one.
  private func check(_ refined: Matte, _ scene: CombScene, largest: Double = Self.largestComb) throws {
    #expect(scene.comb { refined[$0, $1] } < largest)
    #expect(scene.error(refined) < scene.coarseError)
  }
}

/// A coat left of a straight, vertical edge, in front of a texture.
struct CombScene: Sendable, CustomTestStringConvertible {
  enum Texture: String, Sendable, CaseIterable { case blinds, bricks }
  enum Contrast: String, Sendable, CaseIterable {
    /// Light parts in the coat's colour, and dark ones.
    case blinds
    /// All parts darker than the coat.
    case darker
    /// All parts nearly in the coat's colour.
    case faint

    var colors: (light: SIMD3<Double>, dark: SIMD3<Double>) {
      switch self {
      case .blinds: (SIMD3(225, 222, 218), SIMD3(90, 90, 95))
      case .darker: (SIMD3(150, 140, 120), SIMD3(60, 60, 60))
      case .faint: (SIMD3(215, 215, 210), SIMD3(170, 170, 168))
      }
    }
  }

  let texture: Texture, contrast: Contrast
  /// The period of the texture, in pixels.
  let period: Int
  let picture: Image
  let truth: Plane<UInt16>
  /// The matte of a small network: 256×144, with an edge that is soft over some samples.
  let coarse: Matte
  /// The error of that matte.
  private(set) var coarseError = 0.0
  var width: Int { picture.width }
  var height: Int { picture.height }
  var testDescription: String { "\(texture) of \(period), \(contrast)" }

  /// The right edge of the coat, as a part of the width.
  static let edge = 0.47
  private static let coat = SIMD3<Double>(222, 220, 214)

  init(texture: Texture, period: Int, contrast: Contrast) {
    (self.texture, self.period, self.contrast) = (texture, period, contrast)
    let (width, height) = (1280, 720)
    var picture = Image(.bgra8, width: width, height: height)
    var truth = Plane<UInt16>(repeating: 0, width: width, height: height)
    var random = SeededRandom(seed: UInt64(period))
    let (light, dark) = contrast.colors
    let edge = Self.edge * Double(width)
    for y in 0..<height {
      var row = picture.mutableRow(y)
      for x in 0..<width {
        let opacity = min(max((edge - Double(x) - 0.5) / 3 + 0.5, 0), 1)
        let isLight =
          switch texture {
          case .blinds: 2 * (y % period) < period
          case .bricks:
            6 * (y % period) > period && 5 * ((x + y / period % 2 * period) % (2 * period)) > period
          }
        let color = opacity * Self.coat + (1 - opacity) * (isLight ? light : dark)
        for c in 0..<3 {
          row[4 * x + c] = UInt8(min(max(color[2 - c] + .random(in: -3...3, using: &random), 0), 255).rounded())
        }
        row[4 * x + 3] = 255
        truth[x, y] = UInt16((opacity * 32768).rounded())
      }
    }
    (self.picture, self.truth) = (picture, truth)
    // The truth blurred by a Gaussian of 1.5 samples of the network, in closed form.
    var small = Plane<UInt16>(repeating: 0, width: 256, height: 144)
    for x in 0..<256 {
      let value = UInt16((32768 * 0.5 * erfc((Double(x) + 0.5 - Self.edge * 256) / (1.5 * 2.0.squareRoot()))).rounded())
      for y in 0..<144 { small[x, y] = value }
    }
    coarse = Matte(q15: small)
    coarseError = error(coarse.scaled(toWidth: width, height: height))
  }

  /// The sum of the absolute differences from the truth, in Q15.
  func error(_ matte: Matte) -> Double {
    var sum = 0
    for y in 0..<height {
      let (found, wanted) = (matte.q15.row(y), truth.row(y))
      for x in 0..<width { sum += abs(Int(found[x]) - Int(wanted[x])) }
    }
    return Double(sum)
  }

  /// The width of the comb: the standard deviation of opacity along the edge, summed over the columns of pixels next to it.
  func comb(_ opacity: (Int, Int) -> Double) -> Double {
    let middle = Int(Self.edge * Double(width))
    let rows = 40..<height - 40
    return (middle - 100..<middle + 100).reduce(0.0) { sum, x in
      let column = rows.map { opacity(x, $0) }
      let mean = column.reduce(0, +) / Double(column.count)
      let variance = column.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(column.count)
      return sum + variance.squareRoot()
    }
  }
}
