import BackdropImaging

extension DepthFilterKind {
  /// Smooths over time and holds missing values: an exponential mean that restarts at each change.
  public static let temporal = Self(TemporalFilter.self)
}

/// The `temporal` step and its memory: for each pixel the last value, and in which of the last 8 frames it was valid.
struct TemporalFilter: DepthFilterStage {
  static let name = "temporal"
  static let parameters: [Parameter] = [
    .number("alpha", "weight of the new frame; 1 does nothing", in: 0...1, default: 0.4),
    .number(
      "delta", "the smallest step that counts as a change, in 1/32 pixel of disparity or mm of depth", in: 1...100,
      default: 20),
    .whole(
      "persistency",
      "when to fill a hole with the last value: never (0), if valid in 8 of the last 8 frames, 2 of 3, 2 of 4, 2 of 8, 1 of 2, "
        + "1 of 5, 1 of 8, always (8)", in: 0...8, default: 3),
  ]
  static let traits: DepthFilterTraits = [.needsHoles, .smooths, .smoothsOverTime]

  private let alpha, delta: Float
  private let rule: (window: UInt8, needed: Int32)
  private var last: FilterPlane?
  private var history: [UInt8] = []
  private var factor: Float?
  /// Frames since the start, up to the length of the history.
  private var frames = 0

  init(_ step: DepthFilterStep) {
    (alpha, delta) = (step.value(0), step.value(1))
    rule = Self.persistency[step.whole(2)]
  }

  mutating func reset() {
    last = nil
    frames = 0
  }

  func update(_ plane: FilterPlane, in confidence: inout ConfidenceEstimator) { confidence.update(plane, belief) }

  /// A pixel's confidence from its history: the part of the last frames in which its value was valid and unchanged, for held values too.
  private func belief(_ x: Int, _ y: Int) -> (value: Float, held: Float) {
    guard let last, frames > 0 else { return (1, ConfidenceEstimator.held) }
    let valid = history[y * last.paddedWidth + x].nonzeroBitCount
    let part = Float(min(valid, frames)) / Float(frames)
    return (part, ConfidenceEstimator.held * part)
  }

  mutating func apply(to frame: inout FilterFrame) {
    let plane = frame.plane
    if factor != frame.disparityFactor { reset() }
    factor = frame.disparityFactor
    let isNew = last?.width != plane.width || last?.height != plane.height
    let last = FilterPlane.fitting(&last, plane.width, plane.height)
    if isNew { frames = 0 }
    frames = min(frames + 1, 8)
    if isNew { history = [UInt8](repeating: 0, count: plane.paddedWidth * plane.height) }
    // Depth steps are in mm.
    let delta = factor == nil ? delta * 0.001 : delta
    history.withUnsafeMutableBufferPointer { history in
      // A plane has at least one pixel.
      guard let history = history.baseAddress else { return }
      for y in 0..<plane.height {
        frame.kernels.over_time(
          plane.row(y), last.row(y), history + y * plane.paddedWidth, plane.paddedWidth, alpha, delta, rule.window,
          rule.needed)
      }
    }
  }

  /// The number of valid frames, in a window, that a held pixel needs: librealsense's table.
  private static let persistency: [(window: UInt8, needed: Int32)] = [
    (0xFF, 0), (0xFF, 8), (0x07, 2), (0x0F, 2), (0xFF, 2), (0x03, 1), (0x1F, 1), (0xFF, 1), (0, 0),
  ]
}
