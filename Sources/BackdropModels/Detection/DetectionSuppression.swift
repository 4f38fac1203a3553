/// Merges a network's candidates for the same face or body into one detection.
enum DetectionSuppression {
  /// Weighted non-maximum suppression, as in MediaPipe's *NonMaxSuppressionCalculator* and the paper *BlazeFace* (Bazarevsky et al., 2019):
  /// the most confident candidate and all that overlap it, with an intersection over union greater than `overlap`, merge into their mean
  /// weighted by score, with the highest score, so that a face does not jump from anchor to anchor between frames. The results, the most
  /// confident first, replace `detections`; no candidates are left.
  static func merge(
    _ candidates: inout [DetectionCandidate], overlap: Float, into detections: inout [DetectionCandidate]
  ) {
    detections.removeAll(keepingCapacity: true)
    while var best = candidates.indices.first {
      for i in candidates.indices where candidates[i].score > candidates[best].score { best = i }
      let surest = candidates[best]
      var sum = SIMD16<Float>()
      var total: Float = 0
      var kept = 0
      for i in candidates.indices {
        let candidate = candidates[i]
        // The most confident candidate itself always merges, even if its box is too small to have an area.
        if i == best || candidate.intersectionOverUnion(surest) > overlap {
          sum += candidate.coordinates * candidate.score
          total += candidate.score
        } else {
          candidates[kept] = candidate
          kept += 1
        }
      }
      candidates.removeLast(candidates.count - kept)
      detections.append(
        DetectionCandidate(coordinates: total > 0 ? sum / total : surest.coordinates, score: surest.score))
    }
  }
}
