import BackdropImaging

extension DepthFilterKind {
  /// Like `temporal`, but for moving pictures: each pixel's mean covers more frames while nothing changes, and follows changes at once.
  public static let steady = Self(AdaptiveTemporalFilter.self)
}

/// The `steady` step and its memory: for each pixel a mean over a growing number of frames while nothing changes.
///
/// A difference well above the noise is a change. The filter measures the noise as a mean of the differences that were not changes, in
/// 1/metre, in which the noise of stereo and structured light is the same at each distance.
struct AdaptiveTemporalFilter: DepthFilterStage {
  static let name = "steady"
  static let parameters: [Parameter] = [
    .whole("frames", "frames to average, at most", in: 2...32, default: 8)
  ]
  static let traits: DepthFilterTraits = [.needsMetres, .needsHoles, .smooths, .smoothsOverTime]

  /// The maximum number of frames in a mean.
  private let most: Int
  private var mean, frames, age: FilterPlane?
  private var noise = Self.firstNoise
  /// Frames since the start, up to ``most``.
  private var seen = 0

  /// The initial standard deviation in 1/m, with its limits.
  private static let firstNoise: Float = 0.01
  private static let plausible: ClosedRange<Float> = 1e-5...0.02
  /// Differences beyond this many standard deviations are changes.
  private static let gate: Float = 3.5
  /// The mean absolute difference from a mean of some frames, for a normal distribution cut at the gate, in standard deviations.
  private static let meanDifference: Float = 0.85
  /// The number of frames for which a value stays without a new one.
  private static let hold: Float = 3

  init(_ step: DepthFilterStep) { most = step.whole(0) }

  mutating func reset() {
    mean = nil
    noise = Self.firstNoise
    seen = 0
  }

  func update(_ plane: FilterPlane, in confidence: inout ConfidenceEstimator) { confidence.update(plane, belief) }

  /// A pixel's confidence from its history: between one half for a value's first frame, and one for the longest mean; held values lose
  /// confidence with each frame.
  private func belief(_ x: Int, _ y: Int) -> (value: Float, held: Float) {
    guard let frames, let age, seen > 0 else { return (1, ConfidenceEstimator.held) }
    let part = min(frames.row(y)[x] / Float(seen), 1)
    return (0.5 + 0.5 * part, ConfidenceEstimator.held * part * max(1 - age.row(y)[x] / (Self.hold + 1), 0))
  }

  mutating func apply(to frame: inout FilterFrame) {
    let plane = frame.plane
    let isNew = mean?.width != plane.width || mean?.height != plane.height
    if isNew {
      reset()
      frames = nil
      age = nil
    }
    seen = min(seen + 1, most)
    let mean = FilterPlane.fitting(&mean, plane.width, plane.height)
    let frames = FilterPlane.fitting(&frames, plane.width, plane.height)
    let age = FilterPlane.fitting(&age, plane.width, plane.height)
    var total: (sum: Float, count: Float) = (0, 0)
    for y in 0..<plane.height {
      var row: (Float, Float) = (0, 0)
      withUnsafeMutablePointer(to: &row) { row in
        row.withMemoryRebound(to: Float.self, capacity: 2) {
          frame.guideKernels.adaptive_mean(
            plane.row(y), mean.row(y), frames.row(y), age.row(y), plane.paddedWidth, Float(most), Self.gate * noise,
            Self.hold, $0)
        }
      }
      total.sum += row.0
      total.count += row.1
    }
    // A few pixels do not represent the sensor.
    if total.count >= 1000 {
      let measured = total.sum / total.count / Self.meanDifference
      noise = min(max(measured, Self.plausible.lowerBound), Self.plausible.upperBound)
    }
  }
}
