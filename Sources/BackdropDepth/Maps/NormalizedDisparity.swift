import BackdropImaging

/// Disparity on the scene's own scale: 1 is the nearest point, 0 the farthest, linear in inverse distance.
///
/// Focus, fog and viewpoints use it, because it has the same meaning for a camera's metres, a phone's disparity of unknown scale, or only a
/// separation of subject and background. It has no holes.
package struct NormalizedDisparity: Sendable {
  /// 0…1, at the resolution of the original map; it covers the whole picture.
  package var values: Plane<Float>
  package var width: Int { values.width }
  package var height: Int { values.height }

  package init(values: Plane<Float>) { self.values = values }

  /// Makes a map of two distances, with a slope between them, in place of missing depth: 1 inside a matte, 0 outside. Its longer side has
  /// at most `side` samples.
  package init(subject: Matte, side: Int) {
    values = subject.reduced(toSide: side).opacities
  }

  /// The median of 5×5 samples round a point, given as parts of width and height, 0…1; points outside count as the nearest inside.
  package func value(atX x: Double, y: Double) -> Double {
    func index(_ part: Double, _ count: Int) -> Int {
      Swift.min(Swift.max(Int((part.isNaN ? 0 : Swift.min(Swift.max(part, 0), 1)) * Double(count)), 0), count - 1)
    }
    let (column, row) = (index(x, width), index(y, height))
    var found: [Float] = []
    for j in Swift.max(0, row - 2)...Swift.min(height - 1, row + 2) {
      for i in Swift.max(0, column - 2)...Swift.min(width - 1, column + 2) { found.append(values[i, j]) }
    }
    found.sort()
    return Double(found[(found.count - 1) / 2])
  }

  /// The median over the area where a matte is more than half; `nil` if there is none.
  package func median(under matte: Matte) -> Double? {
    guard width > 0 && height > 0 && matte.width > 0 && matte.height > 0 else { return nil }
    var counts = [Int](repeating: 0, count: 1001)
    var total = 0
    for y in 0..<height {
      // The nearest sample is enough, since nothing is drawn from it.
      let opacity = matte.q15.row(Swift.min(matte.height - 1, (2 * y + 1) * matte.height / (2 * height)))
      let near = values.row(y)
      for x in near.indices
      where opacity[Swift.min(matte.width - 1, (2 * x + 1) * matte.width / (2 * width))] > Matte.one / 2 {
        counts[Int(Swift.min(Swift.max(near[x], 0), 1) * 1000)] += 1
        total += 1
      }
    }
    guard total > 0 else { return nil }
    var rest = total / 2
    for (value, count) in counts.enumerated() {
      rest -= count
      if rest < 0 { return Double(value) / 1000 }
    }
    return nil
  }
}

extension DisparityMap {
  /// The map on its own scale: 1 at `range`'s upper end and 0 at its lower end, clamped; by default from the farthest to the nearest value
  /// of the map.
  ///
  /// A hole takes the farther of the next values to its left and right, since holes lie behind edges of near things; a row of holes takes
  /// the row above. A map of holes only, or of one value, is 0 everywhere.
  package func normalized(in range: ClosedRange<Float>? = nil) -> NormalizedDisparity {
    guard let extent, case let range = range ?? extent, range.upperBound > range.lowerBound else {
      return NormalizedDisparity(values: Plane(repeating: 0, width: width, height: height))
    }
    let (low, scale) = (range.lowerBound, 1 / (range.upperBound - range.lowerBound))
    var values = perMetre.map { $0.isNaN ? .nan : min(max(($0 - low) * scale, 0), 1) }
    values.fillRows()
    return NormalizedDisparity(values: values)
  }
}
