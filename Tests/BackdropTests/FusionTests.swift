import BackdropDepth
import BackdropImaging
import BackdropMatting
import BackdropModels
import Testing

@testable import BackdropSimulation

/// Depth and person together on the simulated camera, whose exact mattes are known.
@Suite struct FusionTests {
  static let isInstalled =
    NetworkDescription.named("selfie-general").map { ModelStore().path(of: $0.file) != nil } ?? false

  /// A network that rests while hardly anything moves sees about every other frame of someone who talks, and its mattes stay
  /// as near to the truth.
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
        let shot = camera.frame(index)
        try maker.update(&matte, from: shot.frame.image, at: Double(index) / 30)
        errors[position] += zip(matte.q15.samples, shot.alpha.samples).reduce(0) {
          $0 + abs(Double($1.0) - Double($1.1)) / 32768
        }
      }
      runs[position] = maker.runCount
    }
    #expect(runs[1] < runs[0] * 3 / 4 && runs[1] >= 12, "\(runs)")
    #expect(errors[1] < errors[0] * 1.05, "\(errors)")
  }

  /// Both together are closer to the truth than either alone, in each scene in which the network sees anybody.
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
    var (person, both) = (Matte(constant: 0, width: 1, height: 1), Matte(constant: 0, width: 1, height: 1))
    for index in 0..<3 {
      let shot = camera.frame(index * 20)
      let image = shot.frame.image
      let depth = try #require(shot.frame.depth)
      let depthMatte = try depthMaker.makeMatte(of: shot.frame)
      try alone.update(&person, from: image, at: Double(index))
      let near = PersonMatteMaker.Near(depth) { () throws(BackdropError) in depthMaker.cutoffMetres }
      try joined.update(&both, from: image, at: Double(index), near: near)
      let mattes = [both, person, depthMatte, try sharpMaker.makeMatte(of: shot.frame)]
      for (position, matte) in mattes.enumerated() {
        let drawn = matte.scaled(toWidth: image.width, height: image.height).q15.samples
        errors[position] += zip(drawn, shot.alpha.samples).reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) }
      }
    }
    for (other, name) in zip(errors.dropFirst(), ["network", "depth", "depth without blur"]) {
      #expect(errors[0] < other, "\(scene): joined \(errors[0]), \(name) \(other)")
    }
  }
}
