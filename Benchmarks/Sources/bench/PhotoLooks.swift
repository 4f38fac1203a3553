import ArgumentParser
import BackdropImaging
import BackdropLooks
import BackdropMatting

extension Workload {
  /// A 768×576 disparity map and a 12 MP picture to the picture through a matte by focus: mask, bicubic, grey, blend.
  static let w3Looks = Workload(
    name: "w3", variants: ["spotlight", "color-highlight"], sizes: [Size(width: 4032, height: 3024)]
  ) { inputs, variant, size, threads in
    guard let look = Look.named(variant) else { throw ValidationError("w3 has no variant \(variant)") }
    let frame = try Image(
      .rgb8, width: size.width, height: size.height, packed: inputs.bytes("photo_\(size).rgb").span, color: .jpeg)
    let nearness = Plane(try inputs.floats("disparity_768x576.f32"), width: 768, height: 576)
    var wishes: [String: Double] = [:]
    for name in ["focus", "slope", "width"] { wishes[name] = try inputs.number("w3", name) }
    let settings = try look.settings(wishes)
    let compositor = try Compositor(
      look, settings: settings, width: size.width, height: size.height, format: .rgb8, color: .jpeg,
      workers: WorkerPool(threads: threads))
    var output = Image(.rgb8, width: size.width, height: size.height, color: .jpeg)
    return Job(
      byteCount: 3 * size.width * size.height,
      run: {
        do {
          guard let matte = try look.matte(settings, from: nearness) else { preconditionFailure("no matte by focus") }
          try compositor.render(frame, matte: matte, into: &output)
        } catch {
          preconditionFailure("\(error)")
        }
      },
      output: { output.packedBytes })
  }
}
