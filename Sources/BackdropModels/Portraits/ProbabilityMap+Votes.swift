import BackdropDepth
import BackdropImaging

extension ProbabilityMap {
  /// The median of maps of one size, sample by sample; of an even number the mean of the middle two.
  static func median(of maps: [ProbabilityMap]) -> ProbabilityMap {
    guard var result = maps.first else { return ProbabilityMap(width: 0, height: 0) }
    precondition(maps.allSatisfy { $0.width == result.width && $0.height == result.height }, "maps of other sizes")
    let (count, samples) = (maps.count, result.values.count)
    // One map after the other in memory, a row of votes for each sample.
    withUnsafeTemporaryAllocation(of: Float.self, capacity: count * samples) { votes in
      for (vote, map) in maps.enumerated() {
        map.values.withUnsafeBufferPointer { values in
          for i in 0..<samples { votes.initializeElement(at: i * count + vote, to: values[i]) }
        }
      }
      for i in 0..<samples {
        result.values[i] = median(UnsafeMutableBufferPointer(rebasing: votes[i * count..<(i + 1) * count]))
      }
    }
    return result
  }

  /// The median of numbers, which it sorts; there is one at least.
  static func median(_ votes: UnsafeMutableBufferPointer<Float>) -> Float {
    // They are few.
    for i in votes.indices.dropFirst() {
      let vote = votes[i]
      var place = i
      while place > 0 && votes[place - 1] > vote {
        votes[place] = votes[place - 1]
        place -= 1
      }
      votes[place] = vote
    }
    return 0.5 * (votes[(votes.count - 1) / 2] + votes[votes.count / 2])
  }

  /// This map, which says what is where, with the details of another of its size, as far as they agree on what is where.
  ///
  /// They do if the difference is nothing on average over a window: the other one's edge may run elsewhere, by a small part of the
  /// window, and hair may stand out. Where that mean reaches 0.2 they speak of different things, and this one is believed; between
  /// 0.1 and 0.2 they are mixed.
  ///
  /// - Parameter radius: half the side of the square windows, in samples.
  func detailed(by other: ProbabilityMap, radius: Int) -> ProbabilityMap {
    precondition(width == other.width && height == other.height, "maps of different sizes")
    var difference = self
    for i in values.indices { difference.values[i] = other.values[i] - values[i] }
    let contradiction = difference.means(radius: radius)
    var result = self
    for i in values.indices {
      let trust = min(max((Self.largestContradiction - abs(contradiction.values[i])) * 10, 0), 1)
      result.values[i] += trust * difference.values[i]
    }
    return result
  }

  private static let largestContradiction: Float = 0.2

  /// The means over square windows, of what lies in the map.
  func means(radius: Int) -> ProbabilityMap {
    var result = self
    guard width > 0 && height > 0, radius > 0 else { return result }
    var sums = [Float](repeating: 0, count: width)
    var rows = 0
    for y in -radius..<height {
      if y + radius < height {
        for x in 0..<width { sums[x] += values[(y + radius) * width + x] }
        rows += 1
      }
      if y - radius > 0 {
        for x in 0..<width { sums[x] -= values[(y - radius - 1) * width + x] }
        rows -= 1
      }
      guard y >= 0 else { continue }
      var sum: Float = 0
      var columns = 0
      for x in -radius..<width {
        if x + radius < width {
          sum += sums[x + radius]
          columns += 1
        }
        if x - radius > 0 {
          sum -= sums[x - radius - 1]
          columns -= 1
        }
        if x >= 0 { result.values[y * width + x] = sum / Float(rows * columns) }
      }
    }
    return result
  }

  /// A part of a picture at a size of its own, of a map of another part: bilinear, with 0 where the map says nothing.
  ///
  /// - Parameters:
  ///   - frame: what this map covers, as parts of the picture's width and height.
  ///   - part: what the result covers.
  func sampled(from frame: Rect, in part: Rect, width: Int, height: Int) -> ProbabilityMap {
    var result = ProbabilityMap(width: width, height: height)
    guard self.width > 0 && self.height > 0 && frame.width > 0 && frame.height > 0 else { return result }
    func taps(_ count: Int, _ start: Double, _ length: Double, _ from: Double, _ extent: Double, _ samples: Int)
      -> [(first: Int, second: Int, weight: Float)?]
    {
      (0..<count).map { index in
        let place = (start + (Double(index) + 0.5) / Double(count) * length - from) / extent
        guard place >= 0 && place <= 1 else { return nil }
        let position = min(max(place * Double(samples) - 0.5, 0), Double(samples - 1))
        return (Int(position), min(Int(position) + 1, samples - 1), Float(position - position.rounded(.down)))
      }
    }
    let columns = taps(width, part.x, part.width, frame.x, frame.width, self.width)
    let rows = taps(height, part.y, part.height, frame.y, frame.height, self.height)
    for y in 0..<height {
      guard let row = rows[y] else { continue }
      let (upper, lower) = (row.first * self.width, row.second * self.width)
      for x in 0..<width {
        guard let column = columns[x] else { continue }
        let top = values[upper + column.first] * (1 - column.weight) + values[upper + column.second] * column.weight
        let bottom = values[lower + column.first] * (1 - column.weight) + values[lower + column.second] * column.weight
        result.values[y * width + x] = top * (1 - row.weight) + bottom * row.weight
      }
    }
    return result
  }

  /// With edges that are so much harder, about one half.
  func sharpened(_ slope: Float) -> ProbabilityMap {
    var result = self
    for i in values.indices { result.values[i] = min(max((values[i] - 0.5) * slope + 0.5, 0), 1) }
    return result
  }

  /// It as a matte of its own size.
  var matte: Matte {
    var plane = Plane<UInt16>(uninitializedWidth: width, height: height)
    for y in 0..<height {
      for x in 0..<width { plane[x, y] = UInt16((min(max(values[y * width + x], 0), 1) * 32768).rounded()) }
    }
    return Matte(q15: plane)
  }
}

extension Matte {
  /// Between this matte and another of its size.
  ///
  /// - Parameter share: of the other one, 0…1.
  func mixed(with other: Matte, share: Float) -> Matte {
    precondition(width == other.width && height == other.height, "mattes of different sizes")
    var result = self
    for y in 0..<height {
      let from = other.q15.row(y)
      var to = result.q15.mutableRow(y)
      for x in to.indices {
        let (mine, others) = (Float(min(to[x], Matte.one)), Float(min(from[x], Matte.one)))
        to[x] = UInt16((mine + share * (others - mine)).rounded())
      }
    }
    return result
  }
}
