import BackdropImaging

extension DepthFilterKind {
  /// Makes the map smaller: the median of 2×2 or 3×3 pixels, the mean of 4×4 … 8×8, of those that are no holes.
  public static let decimate = Self(DecimateFilter.self)
}

/// The `decimate` step.
struct DecimateFilter: DepthFilterStage {
  static let name = "decimate"
  static let parameters: [Parameter] = [
    .number("magnitude", "pixels to merge into one, across and down", in: 2...8, default: 2, isWhole: true)
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
    // What does not fill a whole pixel is cut off at the right and below.
    frame.camera = frame.camera?.scaled(toWidth: from.width, height: from.height)
      .cropped(x: 0, y: 0, width: width * scale, height: height * scale).scaled(toWidth: width, height: height)
  }

  func note(_ plane: FilterPlane, in confidence: inout ConfidenceFilter) {
    confidence.decimate(plane, by: scale)
  }
}
