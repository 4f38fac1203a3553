extension DepthFilterKind {
  /// From disparity back to depth.
  public static let depth = Self(DisparityToDepthFilter.self)
}

struct DisparityToDepthFilter: DepthFilterStage {
  static let name = "depth"
  static let traits: DepthFilterTraits = [.needsDisparity, .makesMetres]

  init(_ step: DepthFilterStep) {}

  func apply(to frame: inout FilterFrame) {
    guard let factor = frame.disparityFactor else { return }
    let width = frame.plane.paddedWidth
    frame.plane.forEachRow { frame.kernels.invert($0, width, factor) }
    frame.disparityFactor = nil
  }

  /// Does nothing: the units change, but not the holes.
  func update(_ plane: FilterPlane, in confidence: inout ConfidenceEstimator) {}
}
