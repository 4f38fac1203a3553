import BackdropImaging

/// How far a sequence's mattes are from the true ones.
package struct MatteSequenceMetrics: Sendable, Codable, Equatable {
  package var frameCount: Int
  package var mean: MatteMetrics
  /// Flicker: the root of the mean squared difference between the change of the matte and the change of the truth from
  /// one frame to the next, averaged over all pairs of neighbours; `nil` for a single frame.
  ///
  /// Erofeev et al., "Perceptually Motivated Benchmark for Video Matting", BMVC 2015.
  package var dtSSD: Double?

  package var robustVideoMattingScores: RobustVideoMattingScores {
    var scores = mean.robustVideoMattingScores
    scores.dtSSD = dtSSD.map { $0 * 1e2 * Double(frameCount - 1) / Double(frameCount) }
    return scores
  }
}

/// Compares the mattes of a sequence frame by frame; keeps one frame.
///
///     var evaluator = MatteSequenceEvaluator()
///     for (matte, truth) in frames { try evaluator.add(matte, truth: truth) }
///     print(evaluator.metrics?.mean.mad ?? .nan)
package struct MatteSequenceEvaluator: Sendable {
  private var frameCount = 0
  private var sum: MatteMetrics?
  private var flicker = 0.0
  private var previous: (matte: UnitMatte, truth: UnitMatte)?

  /// The measures to average.
  private static let figures: [any WritableKeyPath<MatteMetrics, Double> & Sendable] = [
    \.sad, \.mad, \.mse, \.gradient, \.connectivity, \.iou,
  ]

  package init() {}

  /// The measures so far; `nil` before the first frame.
  package var metrics: MatteSequenceMetrics? {
    guard var mean = sum else { return nil }
    let count = Double(frameCount)
    for figure in Self.figures { mean[keyPath: figure] /= count }
    return MatteSequenceMetrics(frameCount: frameCount, mean: mean, dtSSD: frameCount > 1 ? flicker / (count - 1) : nil)
  }

  /// Compares the next frame, opacity 0…1 (see ``MatteMetrics``), and returns the measures of this frame alone.
  ///
  /// - Throws: `wrongArgument` if the sizes differ, from each other or from the previous frame; nothing is added then.
  @discardableResult
  package mutating func add(_ matte: Plane<Float>, truth: Plane<Float>) throws(BackdropError) -> MatteMetrics {
    let (matte, truth) = (UnitMatte(matte), UnitMatte(truth))
    if let before = previous?.matte, before.width != matte.width || before.height != matte.height {
      throw BackdropError(
        .wrongArgument,
        "frame \(frameCount + 1) is \(matte.width)×\(matte.height), but the frames before are "
          + "\(before.width)×\(before.height)")
    }
    let found = try MatteMetrics(of: matte, against: truth)
    if let previous {
      var squared = 0.0
      for index in matte.opacity.indices {
        let difference = Double(
          (matte.opacity[index] - previous.matte.opacity[index])
            - (truth.opacity[index] - previous.truth.opacity[index]))
        squared += difference * difference
      }
      flicker += (squared / Double(matte.opacity.count)).squareRoot()
    }
    previous = (matte, truth)
    frameCount += 1
    var total = sum ?? found
    if sum != nil { for figure in Self.figures { total[keyPath: figure] += found[keyPath: figure] } }
    sum = total
    return found
  }
}
