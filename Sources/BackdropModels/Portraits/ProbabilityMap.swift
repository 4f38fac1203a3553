import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// The likelihood of a person in each sample, 0…1.
struct ProbabilityMap {
  let width: Int
  let height: Int
  var values: [Float]

  init(width: Int, height: Int) {
    (self.width, self.height, values) = (width, height, [Float](repeating: 0, count: width * height))
  }

  init(_ matte: Matte) {
    (width, height, values) = (matte.width, matte.height, matte.opacities.samples)
  }

  /// A matte reduced to means of squares until its longer side has `side` samples or a few more, which makes it cheap to find blobs.
  init(meansOf matte: Matte, side: Int) {
    let step = max(1, max(matte.width, matte.height) / side)
    self.init(width: (matte.width + step - 1) / step, height: (matte.height + step - 1) / step)
    let (width, stride, kernels) = (matte.width, matte.q15.stride, CPULevel.current.kernels.temporal)
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: width) { sums in
      matte.q15.withUnsafePointer { samples in
        for y in 0..<self.height {
          let rows = y * step..<min((y + 1) * step, matte.height)
          sums.initialize(repeating: 0)
          for row in rows { kernels.accumulate(samples + row * stride, width, sums.baseAddress) }
          for x in 0..<self.width {
            let columns = x * step..<min((x + 1) * step, width)
            let sum = columns.reduce(0 as UInt32) { $0 &+ sums[$1] }
            values[y * self.width + x] = Float(sum) / Float(32768 * rows.count * columns.count)
          }
        }
      }
    }
  }

  /// The mean over a rectangle, given as fractions of the width and height; the outside counts as 0.
  func mean(over rect: Rect) -> Double {
    func edge(_ part: Double, _ count: Int) -> Int {
      // Rectangles may extend far beyond the map, but not beyond an integer's range.
      Int((min(max(part, -8), 8) * Double(count)).rounded())
    }
    func samples(_ start: Double, _ length: Double, _ count: Int) -> Range<Int> {
      let first = edge(start, count)
      return first..<max(first + 1, edge(start + length, count))
    }
    let (columns, rows) = (samples(rect.x, rect.width, width), samples(rect.y, rect.height, height))
    var sum: Float = 0
    for y in rows.clamped(to: 0..<height) {
      for x in columns.clamped(to: 0..<width) { sum += values[y * width + x] }
    }
    return Double(sum) / Double(columns.count * rows.count)
  }

  /// The rectangle round all blobs that are more likely a person than not and not smaller than `smallestBlob` times the largest, as
  /// fractions of the width and height; `nil` if there are none.
  func frame(smallestBlob: Double) -> Rect? {
    let blobs = GridBlobs(values.map { $0 > 0.5 }, width: width, joinsCorners: true).members
    guard let largest = blobs.map(\.count).max() else { return nil }
    let large = blobs.filter { Double($0.count) >= smallestBlob * Double(largest) }.joined()
    return IntegerRect(round: large, width: width).map { Rect($0).relative(to: (width, height)) }
  }

  var matte: Matte {
    Matte(opacities: Plane(values, width: width, height: height))
  }

  /// Lays this map of `frame`, fractions of a picture's width and height, over a matte of the whole picture, blended along the part's
  /// border within the picture over `rim`, a fraction of the frame's width and height.
  func blend(into matte: inout Matte, at frame: Rect, rim: Double) {
    let (columns, rows) = (frame.samples(across: matte.width), frame.samples(down: matte.height))
    let part = self.matte.scaled(toWidth: columns.count, height: rows.count)
    func weights(_ range: Range<Int>, _ count: Int) -> [Float] {
      let breadth = Float(max(1, rim * Double(range.count)))
      return range.map { index in
        let before = range.lowerBound > 0 ? Float(index - range.lowerBound) + 0.5 : .infinity
        let after = range.upperBound < count ? Float(range.upperBound - index) - 0.5 : .infinity
        return min(1, min(before, after) / breadth)
      }
    }
    let (across, down) = (weights(columns, matte.width), weights(rows, matte.height))
    for y in 0..<rows.count {
      let from = part.q15.row(y)
      var to = matte.q15.mutableRow(rows.lowerBound + y)
      for x in 0..<columns.count {
        let (old, new) = (Float(to[columns.lowerBound + x]), Float(from[x]))
        to[columns.lowerBound + x] = UInt16((old + min(across[x], down[y]) * (new - old)).rounded())
      }
    }
  }
}

extension Rect {
  /// Its columns in a map of that width; at least one.
  fileprivate func samples(across width: Int) -> Range<Int> { Self.samples(x, self.width, width) }
  /// Its rows in a map of that height; at least one.
  fileprivate func samples(down height: Int) -> Range<Int> { Self.samples(y, self.height, height) }

  private static func samples(_ start: Double, _ length: Double, _ count: Int) -> Range<Int> {
    let first = min(max(0, Int((start * Double(count)).rounded())), count - 1)
    return first..<min(count, max(first + 1, Int(((start + length) * Double(count)).rounded())))
  }
}
