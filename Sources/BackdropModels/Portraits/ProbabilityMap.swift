import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// How likely each sample shows a person, 0…1.
struct ProbabilityMap {
  let width: Int
  let height: Int
  var values: [Float]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    values = [Float](repeating: 0, count: width * height)
  }

  /// The map of a matte, turned back if its picture was mirrored.
  init(_ matte: Matte, isMirrored: Bool) {
    self.init(width: matte.width, height: matte.height)
    for y in 0..<height {
      let row = matte.q15.row(y)
      for x in row.indices {
        values[y * width + (isMirrored ? width - 1 - x : x)] = Float(min(row[x], Matte.one)) / 32768
      }
    }
  }

  /// A matte made so small that its longer side has `side` samples or a few more, if it is not smaller: means of squares, so
  /// that looking for blobs costs next to nothing.
  init(meansOf matte: Matte, side: Int) {
    let step = max(1, max(matte.width, matte.height) / side)
    self.init(width: (matte.width + step - 1) / step, height: (matte.height + step - 1) / step)
    let (width, stride, kernels) = (matte.width, matte.q15.stride, CPULevel.current.kernels.steady)
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

  /// The mean over a rectangle, given as parts of the width and height; what lies outside of the map counts as 0.
  func mean(over rect: Rect) -> Double {
    func edge(_ part: Double, _ count: Int) -> Int {
      // Rectangles may reach far beyond the map, but not beyond what an integer holds.
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

  /// The rectangle round all large blobs of what is more likely a person than not, as parts of the width and height;
  /// `nil` if there are none.
  ///
  /// - Parameter smallestBlob: smaller ones than this part of the largest do not count.
  func frame(smallestBlob: Double) -> Rect? {
    let blobs = self.blobs()
    guard let largest = blobs.map(\.area).max() else { return nil }
    let large = blobs.filter { Double($0.area) >= smallestBlob * Double(largest) }
    // There is one at least.
    let left = large.map(\.left).min()!
    let top = large.map(\.top).min()!
    let right = large.map(\.right).max()! + 1
    let bottom = large.map(\.bottom).max()! + 1
    return Rect(
      x: Double(left) / Double(width), y: Double(top) / Double(height), width: Double(right - left) / Double(width),
      height: Double(bottom - top) / Double(height))
  }

  private struct Blob {
    var area = 0
    var left = Int.max, top = Int.max, right = 0, bottom = 0
  }

  /// Connected regions (8 neighbours) above one half.
  private func blobs() -> [Blob] {
    var seen = values.map { $0 <= 0.5 }
    var result: [Blob] = []
    var waiting: [Int] = []
    for start in values.indices where !seen[start] {
      var blob = Blob()
      seen[start] = true
      waiting.append(start)
      while let at = waiting.popLast() {
        let (x, y) = (at % width, at / width)
        blob.area += 1
        (blob.left, blob.right) = (min(blob.left, x), max(blob.right, x))
        (blob.top, blob.bottom) = (min(blob.top, y), max(blob.bottom, y))
        for row in max(0, y - 1)...min(height - 1, y + 1) {
          for column in max(0, x - 1)...min(width - 1, x + 1) where !seen[row * width + column] {
            seen[row * width + column] = true
            waiting.append(row * width + column)
          }
        }
      }
      result.append(blob)
    }
    return result
  }

  /// A matte of the given size that has this map in `frame` (parts of the width and height) and 0 elsewhere.
  func placed(at frame: Rect, width: Int, height: Int) -> Matte {
    let left = Int((frame.x * Double(width)).rounded())
    let top = Int((frame.y * Double(height)).rounded())
    let right = min(width, max(left + 1, Int(((frame.x + frame.width) * Double(width)).rounded())))
    let bottom = min(height, max(top + 1, Int(((frame.y + frame.height) * Double(height)).rounded())))
    let part = matte.scaled(toWidth: right - left, height: bottom - top)
    guard part.width < width || part.height < height else { return part }
    var result = Matte(constant: 0, width: width, height: height)
    for y in 0..<part.height {
      let from = part.q15.row(y)
      var to = result.q15.mutableRow(top + y)
      for x in from.indices { to[left + x] = from[x] }
    }
    return result
  }
}
