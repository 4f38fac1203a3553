import ArgumentParser
import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting

extension Workload {
  /// Gives a frame another background by a 640×480 depth map: mask, Gaussian, gamma, bicubic scaling, blend.
  static let w1 = Workload(
    name: "w1", variants: ["bgra", "i420", "nv12"],
    sizes: [Size(width: 1280, height: 720), Size(width: 1920, height: 1080)]
  ) { inputs, variant, size, threads in
    let formats: [String: PixelFormat] = ["bgra": .bgra8, "i420": .i420, "nv12": .nv12]
    guard let format = formats[variant] else { throw ValidationError("w1 has no variant \(variant)") }
    // OpenCV created the inputs: BT.601, limited range.
    let color = ColorDescription(matrix: .bt601, range: .limited)
    func image(_ name: String) throws -> Image {
      let bytes = try inputs.bytes("\(name)_\(size).\(variant)")
      return try Image(format, width: size.width, height: size.height, packed: bytes.span, color: color)
    }
    let frame = Scene(
      image: try image("fg"),
      depth: DepthMap(metres: Plane(try inputs.floats("depth_640x480.f32"), width: 640, height: 480)))
    let workers = WorkerPool(threads: threads)
    let recipe = DepthMatteRecipe(
      cutoffMetres: try inputs.number("w1", "far_inclusive"), sigma: try inputs.number("w1", "sigma"),
      gamma: try inputs.number("w1", "gamma"))
    // The peers also cut the Gaussian off at this radius.
    let maker = DepthMatteMaker(recipe, blurRadius: Int(try inputs.number("w1", "radius")), workers: workers)
    let compositor = try Compositor(
      .backdrop, width: size.width, height: size.height, format: format, color: color, workers: workers)
    try compositor.setBackground(.picture(try image("bg")))
    var matte = Matte(constant: 0, width: 1, height: 1)
    try maker.update(&matte, from: frame)
    var output = Image(format, width: size.width, height: size.height, color: color)
    return Job(
      byteCount: Image.packedByteCount(format, width: size.width, height: size.height),
      run: {
        do {
          try maker.update(&matte, from: frame)
          try compositor.render(frame.image, matte: matte, into: &output)
        } catch {
          preconditionFailure("\(error)")
        }
      },
      output: { output.packedBytes })
  }
}
