import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels
import BackdropSimulation
import Foundation

/// Measures the errors of the looks' mattes and of a plain threshold against the simulated camera's exact alpha, and those of the person
/// network, alone and with depth, if it is installed.
enum MatteQuality {
  static func run(scene: String, frames: Int, json: Bool) throws {
    let camera = try SimulatedCamera(address: "sim:" + scene)
    let workers = WorkerPool()
    let threshold = DepthMatteRecipe(sigma: 0, gamma: 1)
    let recipes =
      [("threshold", threshold)] + (try Look.builtIn.map { look in (look.id, look.recipe(try look.settings())) })
    let makers = recipes.map { ($0.0, DepthMatteMaker($0.1, workers: workers)) }
    let isInstalled = NetworkDescription.named("selfie-general").map { ModelStore().path(of: $0.file) != nil } ?? false
    let persons =
      isInstalled
      ? try ["network", "both"].map { ($0, try PersonMatteMaker.load(PersonMatteMaker.Options(), workers: workers)) }
      : []
    var evaluators = (makers.map(\.0) + persons.map(\.0)).map { _ in MatteSequenceEvaluator() }
    for index in 0..<frames {
      let simulated = camera.frame(index * 10)
      let truth = Matte(q15: simulated.alpha).opacities
      for (position, maker) in makers.enumerated() {
        var matte = Matte(constant: 0, width: 1, height: 1)
        try maker.1.update(&matte, from: simulated.frame)
        // Like a camera program without a blur, scale the threshold by nearest pixel.
        let full =
          position == 0
          ? nearest(matte, camera.width, camera.height)
          : matte.scaled(toWidth: camera.width, height: camera.height)
        _ = try evaluators[position].add(full.opacities, truth: truth)
      }
      for (position, maker) in persons.enumerated() {
        var matte = Matte(constant: 0, width: 1, height: 1)
        let cutoff = makers[0].1.cutoffMetres
        let near = simulated.frame.depth.map { PersonMatteMaker.Near($0) { cutoff } }
        try maker.1.update(
          &matte, from: simulated.frame.image, at: Double(index) / 3, near: maker.0 == "both" ? near : nil)
        _ = try evaluators[makers.count + position].add(
          matte.scaled(toWidth: camera.width, height: camera.height).opacities, truth: truth)
      }
    }
    for (name, evaluator) in zip(makers.map(\.0) + persons.map(\.0), evaluators) {
      guard let metrics = evaluator.metrics else { continue }
      if json {
        print(
          "{\"scene\": \"\(scene)\", \"matte\": \"\(name)\", \"frames\": \(frames), \"mad\": \(metrics.mean.mad), "
            + "\"grad\": \(metrics.mean.gradient), \"iou\": \(metrics.mean.iou)}")
      } else {
        let mad = String(format: "%.4f", metrics.mean.mad)
        let iou = String(format: "%.4f", metrics.mean.iou)
        let gradient = String(format: "%6.2f", metrics.mean.gradient)
        print(
          "\(scene) \(name.padding(toLength: 10, withPad: " ", startingAt: 0)) MAD \(mad)  IoU \(iou)  Grad \(gradient)"
        )
      }
    }
  }

  private static func nearest(_ matte: Matte, _ width: Int, _ height: Int) -> Matte {
    var full = Plane<UInt16>(repeating: 0, width: width, height: height)
    for y in 0..<height {
      for x in 0..<width { full[x, y] = matte.q15[x * matte.width / width, y * matte.height / height] }
    }
    return Matte(q15: full)
  }
}
