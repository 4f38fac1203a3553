import BackdropImaging

extension DepthFilterKind {
  /// The same as `temporal`, for moving pictures: each pixel's mean grows longer as long as nothing changes, and follows at
  /// once.
  public static let steady = Self(AdaptiveTemporalFilter.self)
}

/// The `steady` step and what it remembers: for each pixel a mean that is of more frames the longer nothing changes.
///
/// What is a change is decided by the noise, which is measured along the way: a mean of the differences that were none. It
/// is counted in 1/metre, in which that of stereo and structured light is the same at each distance.
struct AdaptiveTemporalFilter: DepthFilterStage {
  static let name = "steady"
  static let parameters: [Parameter] = [
    .number("frames", "frames to average, at most", in: 2...32, default: 8, isWhole: true)
  ]
  static let traits: DepthFilterTraits = [.needsMetres, .needsHoles, .smooths, .smoothsOverTime]

  /// The frames that a mean is of, at most.
  private let most: Int
  private var mean: FilterPlane?
  private var frames: FilterPlane?
  private var age: FilterPlane?
  private var noise = Self.firstNoise
  /// Frames since the beginning, up to the most of a mean.
  private var seen = 0

  /// Standard deviation in 1/m before anything is known, and what is believed of it at most and least.
  private static let firstNoise: Float = 0.01
  private static let believed: ClosedRange<Float> = 1e-5...0.02
  /// Differences beyond this many standard deviations are changes.
  private static let gate: Float = 3.5
  /// Mean of the absolute differences to a mean of some frames, of a normal distribution cut at the gate, in standard
  /// deviations.
  private static let meanDifference: Float = 0.85
  /// Frames for which a value stays where none follows.
  private static let hold: Float = 3

  init(_ step: DepthFilterStep) { most = step.whole(0) }

  mutating func reset() {
    mean = nil
    noise = Self.firstNoise
    seen = 0
  }

  func note(_ plane: FilterPlane, in confidence: inout ConfidenceFilter) { confidence.note(plane, belief) }

  /// How much a pixel is to be believed for its past: a value between half, of the first frame of something, and all, of a
  /// mean of as many as there were; what was held less with each frame.
  private func belief(_ x: Int, _ y: Int) -> (value: Float, held: Float) {
    guard let frames, let age, seen > 0 else { return (1, ConfidenceFilter.held) }
    let part = min(frames.row(y)[x] / Float(seen), 1)
    return (0.5 + 0.5 * part, ConfidenceFilter.held * part * max(1 - age.row(y)[x] / (Self.hold + 1), 0))
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
    // A few pixels say nothing of the sensor.
    if total.count >= 1000 {
      let measured = total.sum / total.count / Self.meanDifference
      noise = min(max(measured, Self.believed.lowerBound), Self.believed.upperBound)
    }
  }
}
