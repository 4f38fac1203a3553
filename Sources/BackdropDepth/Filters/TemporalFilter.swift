import CBackdropKernels

/// The `temporal` step and what it remembers: for each pixel the last value, and in which of the last 8 frames it was valid.
struct TemporalFilter {
  private var last: FilterPlane?
  private var history: [UInt8] = []
  private var factor: Float?
  /// Frames since the beginning, up to those that the history has.
  private var frames = 0

  mutating func reset() {
    last = nil
    frames = 0
  }

  /// How much a pixel is to be believed for its past: a value by the part of the last frames that had it unchanged, what was
  /// held likewise.
  func confidence(_ x: Int, _ y: Int) -> (value: Float, held: Float) {
    guard let last, frames > 0 else { return (1, ConfidenceFilter.held) }
    let valid = history[y * last.paddedWidth + x].nonzeroBitCount
    let part = Float(min(valid, frames)) / Float(frames)
    return (part, ConfidenceFilter.held * part)
  }

  mutating func smooth(_ plane: FilterPlane, _ step: DepthFilterStep, factor: Float?, _ kernels: bd_filter_kernels) {
    if self.factor != factor { reset() }
    self.factor = factor
    let isNew = last?.width != plane.width || last?.height != plane.height
    let last = FilterPlane.fitting(&last, plane.width, plane.height)
    if isNew { frames = 0 }
    frames = min(frames + 1, 8)
    if isNew { history = [UInt8](repeating: 0, count: plane.paddedWidth * plane.height) }
    let delta = factor == nil ? step.value(1) * 0.001 : step.value(1)
    let rule = Self.persistency[step.whole(2)]
    history.withUnsafeMutableBufferPointer { history in
      // A plane has at least one pixel.
      guard let history = history.baseAddress else { return }
      for y in 0..<plane.height {
        kernels.over_time(
          plane.row(y), last.row(y), history + y * plane.paddedWidth, plane.paddedWidth, step.value(0), delta,
          rule.window, rule.needed)
      }
    }
  }

  /// In how many of which frames a pixel must have been valid, so that it stays: librealsense's table.
  private static let persistency: [(window: UInt8, needed: Int32)] = [
    (0xFF, 0), (0xFF, 8), (0x07, 2), (0x0F, 2), (0xFF, 2), (0x03, 1), (0x1F, 1), (0xFF, 1), (0, 0),
  ]
}
