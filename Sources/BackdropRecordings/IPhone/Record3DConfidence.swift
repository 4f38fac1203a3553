import BackdropDepth
import BackdropImaging

extension DepthMap {
  /// Distances and ARKit's confidence of each (`ARConfidenceLevel`: 0 low, 1 medium, 2 high), as Record3D gives them; what has less
  /// than `minimum` becomes a hole. Without levels, all distances count, and their confidence is not known.
  init(metres: Plane<Float>, levels: [UInt8]?, minimum: UInt8) {
    guard let levels else {
      self.init(metres: metres)
      return
    }
    var metres = metres
    var confidence = Plane<UInt8>(uninitializedWidth: metres.width, height: metres.height)
    for y in 0..<metres.height {
      var row = metres.mutableRow(y)
      var numbers = confidence.mutableRow(y)
      for x in row.indices {
        let level = levels[y * numbers.count + x]
        if level < minimum && row[x] > 0 { row[x] = DepthMap.unsure }
        numbers[x] = row[x] > 0 ? Record3DMetadata.confidences[min(Int(level), 2)] : 0
      }
    }
    self.init(metres: metres)
    self.confidence = ConfidenceMap(confidence)
  }
}
