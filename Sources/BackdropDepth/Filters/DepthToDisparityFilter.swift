import BackdropImaging

extension DepthFilterKind {
  /// From depth to disparity, in which a stereo camera's error is the same at each distance.
  public static let disparity = Self(DepthToDisparityFilter.self)
}

struct DepthToDisparityFilter: DepthFilterStage {
  static let name = "disparity"
  static let parameters: [Parameter] = [
    .number(
      "baseline", "distance between the two cameras, or between camera and projector", unit: "m", in: 0.001...1,
      default: 0.05)
  ]
  static let traits: DepthFilterTraits = [.needsMetres, .makesDisparity]

  private let baseline: Float

  init(_ step: DepthFilterStep) { baseline = step.value(0) }

  func apply(to frame: inout FilterFrame) {
    let plane = frame.plane
    let focal = frame.camera?.scaled(toWidth: plane.width, height: plane.height).fx ?? Double(plane.width)
    let factor = Self.factor(focal: focal, baseline: baseline)
    plane.forEachRow { frame.kernels.invert($0, plane.paddedWidth, factor) }
    frame.disparityFactor = factor
  }

  /// Does nothing: the units change, but not the holes.
  func update(_ plane: FilterPlane, in confidence: inout ConfidenceEstimator) {}

  /// 1/32 pixel of disparity at a distance of 1 m, as librealsense counts it.
  private static func factor(focal: Double, baseline: Float) -> Float {
    let factor = Float(focal) * baseline * 32
    // An invalid camera must not produce infinite depths.
    return factor > 1e-6 && factor < 1e12 ? factor : 1
  }
}
