package struct DepthReport: Sendable, Codable, Equatable {
  package var width: Int, height: Int
  package var metres: RangeStatistics
  package var holeFraction: Double
  /// The number of holes of each kind, by the names of ``DepthHole``; kinds without holes are left out.
  package var holes: [String: Int]
  /// Percentiles of the valid distances in metres, by percentage; empty if there are none.
  package var percentiles: [String: Float]
  /// The noise from planes fitted to small windows; `nil` if none could be fitted.
  package var noise: DepthNoise?
  /// The mean confidence of pixels with a value, 0…1, from the map or estimated; `nil` without values.
  package var confidence: Double?
  /// Whether the map contained the confidence.
  package var isConfidenceMeasured: Bool
  /// The camera, for the map's size.
  package var intrinsics: Intrinsics?

  package static let percents: [Double] = [1, 5, 25, 50, 75, 95, 99]

  package init(_ map: DepthMap) {
    (width, height) = (map.width, map.height)
    metres = map.statistics
    holeFraction = metres.holeFraction
    holes = Dictionary(uniqueKeysWithValues: map.holes.map { ($0.key.rawValue, $0.value) })
    percentiles = [:]
    for (percent, value) in zip(Self.percents, map.percentiles(Self.percents)) {
      percentiles["\(Int(percent))"] = value
    }
    noise = DepthNoise(map)
    isConfidenceMeasured = map.confidence != nil
    var map = map
    if map.confidence == nil { map.confidence = map.estimatedConfidence() }
    confidence = map.meanConfidence
    intrinsics = map.intrinsics?.scaled(toWidth: map.width, height: map.height)
  }
}
