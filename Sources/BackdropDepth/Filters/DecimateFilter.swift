import BackdropImaging

extension DepthFilterKind {
  /// Reduces the map: the median of 2×2 or 3×3 pixels, the mean of 4×4 … 8×8, without holes.
  public static let decimate = Self(DecimateFilter.self)
}

struct DecimateFilter: DepthFilterStage {
  static let name = "decimate"
  static let parameters: [Parameter] = [
    .whole("magnitude", "pixels to merge into one, across and down", in: 2...8, default: 2)
  ]
  static let traits: DepthFilterTraits = .shrinks

  private let scale: Int
  private var smaller: FilterPlane?

  init(_ step: DepthFilterStep) { scale = step.whole(0) }

  mutating func apply(to frame: inout FilterFrame) {
    let from = frame.plane
    let (width, height) = (from.width / scale, from.height / scale)
    guard width > 0 && height > 0 else { return }
    let to = FilterPlane.fitting(&smaller, width, height)
    for y in 0..<height {
      frame.kernels.decimate(from.row(y * scale), from.stride, Int32(scale), width, to.row(y))
    }
    frame.plane = to
    // Incomplete pixels at the right and below are cut off.
    frame.camera = frame.camera?.scaled(toWidth: from.width, height: from.height)
      .cropped(x: 0, y: 0, width: width * scale, height: height * scale).scaled(toWidth: width, height: height)
  }

  func update(_ plane: FilterPlane, in confidence: inout ConfidenceEstimator) {
    confidence.decimate(plane, by: scale)
  }
}
