import BackdropDepth
import BackdropImaging
import BackdropLooks

extension Workload {
  /// Complete looks with a focus: mask from the disparity, bicubic scaling, grey, blend.
  static let photoLooks: [String: PhotoVariant] = [
    "spotlight": { try $0.lookJob(.spotlight, $1) }, "color-highlight": { try $0.lookJob(.colorHighlight, $1) },
  ]
}

extension Inputs {
  /// A job that draws a look of the photo.
  fileprivate func lookJob(_ look: Look, _ workers: WorkerPool) throws -> Job {
    let disparity = Plane(try floats("disparity_768x576.f32"), width: 768, height: 576)
    var wishes: [String: Double] = [:]
    for name in ["focus", "slope", "width"] { wishes[name] = try number("w3", name) }
    let settings = try look.settings(wishes)
    let compositor = try Compositor(
      look, settings: settings, width: 4032, height: 3024, format: .rgb8, workers: workers)
    return try photoJob { photo, output in
      guard let matte = try look.matte(settings, from: NormalizedDisparity(values: disparity)) else {
        preconditionFailure("no matte by focus")
      }
      try compositor.render(photo, matte: matte, into: &output)
    }
  }
}
