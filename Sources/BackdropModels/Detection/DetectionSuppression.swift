/// Makes one detection of the many candidates that a network has for a face or a body.
enum DetectionSuppression {
  /// Weighted non-maximum suppression, as MediaPipe's *NonMaxSuppressionCalculator* does it and the paper *BlazeFace*
  /// (Bazarevsky et al., 2019) proposes: the surest candidate and all that overlap it become one, their mean
  /// weighted by score, with the score of the surest. So a face does not jump from anchor to anchor between frames.
  ///
  /// - Parameters:
  ///   - candidates: in any order; empty afterwards.
  ///   - overlap: candidates belong together if their intersection over union is greater than this.
  ///   - detections: what was there is replaced; the surest first.
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
        // The surest itself belongs to it even where its box is too small to have an area.
        if i == best || candidate.intersectionOverUnion(surest) > overlap {
          sum += candidate.places * candidate.score
          total += candidate.score
        } else {
          candidates[kept] = candidate
          kept += 1
        }
      }
      candidates.removeLast(candidates.count - kept)
      detections.append(DetectionCandidate(places: total > 0 ? sum / total : surest.places, score: surest.score))
    }
  }
}
