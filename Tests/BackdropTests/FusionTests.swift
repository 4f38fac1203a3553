import Backdrop
import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels
import Foundation
import TestSupport
import Testing

@testable import BackdropSimulation

/// Depth and person network together on the simulated camera, with known exact mattes.
@Suite struct FusionTests {
  static let isInstalled =
    NetworkDescription.named("selfie-general").map { ModelStore().path(of: $0.file) != nil } ?? false

  /// A network that rests while there is little movement processes about every other frame of a person who talks, and its mattes stay as
  /// close to the truth.
  @Test(.enabled(if: isInstalled && NetworkRuntime.isInstalled, "needs the network runtime: make setup-test"))
  func restsWhenCalm() throws {
    let camera = try SimulatedCamera(address: "sim:talking?size=640x360")
    var errors = [0.0, 0], runs = [0, 0]
    for (position, rests) in [false, true].enumerated() {
      var options = PersonMatteMaker.Options()
      options.restsWhenCalm = rests
      let maker = try PersonMatteMaker.load(options, workers: WorkerPool(threads: 2))
      var matte = Matte(constant: 0, width: 1, height: 1)
      for index in 0..<24 {
        let simulated = camera.frame(index)
        try maker.update(&matte, from: simulated.frame.image, at: Double(index) / 30)
        errors[position] += zip(matte.q15.samples, simulated.alpha.samples).reduce(0) {
          $0 + abs(Double($1.0) - Double($1.1)) / 32768
        }
      }
      runs[position] = maker.runCount
    }
    #expect(runs[1] < runs[0] * 3 / 4 && runs[1] >= 12, "\(runs)")
    #expect(errors[1] < errors[0] * 1.05, "\(errors)")
  }

  /// If all pictures have the same size, `fast` loads only the network for that size, with the same result as with both.
  @Test(
    .enabled(if: isInstalled && NetworkRuntime.isInstalled, "needs the network runtime: make setup-test"),
    arguments: [(640, 360), (360, 480)])
  func fastLoadsWhatItUses(_ width: Int, _ height: Int) throws {
    let scene = try SimulatedCamera(address: "sim:talking").frame(0).frame.image
    let image = try scene.cropped(x: 300, y: 20, width: width, height: height)
    var options = PersonMatteMaker.Options()
    options.quality = .fast
    let workers = WorkerPool(threads: 2)
    let both = try PersonMatteMaker.load(options, workers: workers)
    let one = try PersonMatteMaker.load(options, for: (width, height), workers: workers)
    #expect(both.networks.count == 2 && one.networks.count == 1)
    var (first, second) = (Matte(constant: 0, width: 1, height: 1), Matte(constant: 0, width: 1, height: 1))
    try both.update(&first, from: image, at: 0)
    try one.update(&second, from: image, at: 0)
    #expect(first.q15.samples == second.q15.samples && first.coverage > 0.02)
  }

  /// Depth and network together are closer to the truth than either alone, in each scene in which the network detects a person.
  @Test(
    .enabled(if: isInstalled && NetworkRuntime.isInstalled, "needs the network runtime: make setup-test"),
    arguments: ["talking", "mug", "outdoor", "two-people"])
  func beatsEitherAlone(_ scene: String) throws {
    let camera = try SimulatedCamera(address: "sim:\(scene)")
    let workers = WorkerPool(threads: 2)
    let depthMaker = DepthMatteMaker(DepthMatteRecipe(), workers: workers)
    let sharpMaker = DepthMatteMaker(DepthMatteRecipe(sigma: 0, gamma: 1), workers: workers)
    let alone = try PersonMatteMaker.load(PersonMatteMaker.Options(), workers: workers)
    let joined = try PersonMatteMaker.load(PersonMatteMaker.Options(), workers: workers)
    var errors = [0.0, 0, 0, 0]
    let none = Matte(constant: 0, width: 1, height: 1)
    var (person, both, byDepth, sharp) = (none, none, none, none)
    for index in 0..<3 {
      let simulated = camera.frame(index * 20)
      let image = simulated.frame.image
      let depth = try #require(simulated.frame.depth)
      try depthMaker.update(&byDepth, from: simulated.frame)
      try sharpMaker.update(&sharp, from: simulated.frame)
      try alone.update(&person, from: image, at: Double(index))
      let near = PersonMatteMaker.Near(depth) { () throws(BackdropError) in depthMaker.cutoffMetres }
      try joined.update(&both, from: image, at: Double(index), near: near)
      for (position, matte) in [both, person, byDepth, sharp].enumerated() {
        let drawn = matte.scaled(toWidth: image.width, height: image.height).q15.samples
        errors[position] += zip(drawn, simulated.alpha.samples).reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) }
      }
    }
    for (other, name) in zip(errors.dropFirst(), ["network", "depth", "depth without blur"]) {
      #expect(errors[0] < other, "\(scene): joined \(errors[0]), \(name) \(other)")
    }
  }

  /// The evidence reports all sources with their confidence: depth, the network and a clean plate together, or one alone.
  @Test(.enabled(if: isInstalled && NetworkRuntime.isInstalled, "needs the network runtime: make setup-test"))
  func likelihoodSourcesAreReported() throws {
    let camera = try SimulatedCamera(address: "sim:talking?size=640x360")
    func confidence(_ options: AnalyzerOptions, depth: Bool = true, change: (inout Scene) -> Void = { _ in }) throws
      -> [LikelihoodSource: Double]
    {
      let analyzer = SceneAnalyzer(
        StreamDescription(width: 640, height: 360, hasDepth: depth), options: options, workers: WorkerPool(threads: 2))
      var evidence = Evidence()
      let request = EvidenceRequest(.backdrop, try Look.backdrop.settings([:]))
      for index in 0..<8 {
        var scene = camera.frame(2 * index).frame
        if !depth { scene.depth = nil }
        change(&scene)
        try analyzer.analyze(scene, for: request, into: &evidence)
      }
      #expect(evidence.confidence.values.allSatisfy { $0 >= 0 && $0 <= 1 })
      return evidence.confidence
    }
    let joined = try confidence(AnalyzerOptions())
    #expect(Set(joined.keys).isSuperset(of: [.network, .depth]) && !joined.keys.contains(.screen))
    #expect(try #require(joined[.network]) > 0.8 && #require(joined[.depth]) > 0.5)
    let folder = TemporaryFolder()
    let plate = folder.path + "/plate.png"
    try Data(try PNG.encode(Image(.rgb8, width: 64, height: 36))).write(to: URL(fileURLWithPath: plate))
    var person = AnalyzerOptions()
    person.plate = plate
    // Without a person, the analysis covers the whole picture.
    let alone = try confidence(person, depth: false) { $0.image.fill(RGBColor(red: 0.4, green: 0.5, blue: 0.6)) }
    #expect(Set(alone.keys) == [.network, .plate])
    var own = AnalyzerOptions()
    own.mattes = .depth
    #expect(try confidence(own) == [.depth: 1])
    let camera1 = try confidence(AnalyzerOptions()) { $0.mattes[.portrait] = Matte(constant: 0.5, width: 8, height: 8) }
    #expect(camera1 == [.camera: 1])
    var chroma = AnalyzerOptions()
    chroma.mattes = .chroma
    let screen = try confidence(chroma) { scene in
      scene.image = Image.drawn(.bgra8, 640, 360) { x, y in
        (200..<400).contains(x) && y > 100 ? [90, 100, 160, 255] : [40, 200, 50, 255]
      }
    }
    #expect(Set(screen.keys) == [.screen] && screen[.screen] ?? 0 > 0.9)
  }
}
