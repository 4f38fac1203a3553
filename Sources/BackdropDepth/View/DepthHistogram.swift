import BackdropImaging

package struct DepthHistogram: Sendable, Codable, Equatable {
  /// The start of the first bin and the end of the last one, in metres.
  package var near, far: Double
  /// Pixels in each bin; all bins are equally wide, and the last one includes its far end.
  package var counts: [Int]
  package var nearer = 0, farther = 0
  package var holes = 0

  package static let maximumBins = 4096

  /// Makes empty bins over a range.
  ///
  /// - Throws: `wrongArgument` for a range without width or with ends that are not finite, or other than 1…4096 bins.
  package init(near: Double, far: Double, bins: Int) throws(BackdropError) {
    guard near.isFinite && far.isFinite && near < far else {
      throw BackdropError(
        .wrongArgument, "a histogram cannot range from \(near) to \(far) metres", hint: "give the nearer distance first"
      )
    }
    guard (1...Self.maximumBins).contains(bins) else {
      throw BackdropError(
        .wrongArgument, "\(bins) bins are out of range: 1…\(Self.maximumBins)", hint: "100 is a good start")
    }
    (self.near, self.far) = (near, far)
    counts = [Int](repeating: 0, count: bins)
  }

  package mutating func add(_ map: DepthMap) {
    let scale = Double(counts.count) / (far - near)
    for y in 0..<map.height {
      let row = map.metres.row(y)
      for x in row.indices {
        let metres = Double(row[x])
        if metres.isNaN {
          holes += 1
        } else if metres < near {
          nearer += 1
        } else if metres > far {
          farther += 1
        } else {
          counts[min(Int((metres - near) * scale), counts.count - 1)] += 1
        }
      }
    }
  }
}
