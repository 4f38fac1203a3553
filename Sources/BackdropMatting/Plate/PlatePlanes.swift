/// Planes of one size without padding, zero at first: the memory of a plate and of the vote.
final class PlatePlanes {
  let width: Int, height: Int, count: Int
  private let planeCount: Int
  private let base: UnsafeMutablePointer<Float>

  init(width: Int, height: Int, planes: Int) {
    self.width = width
    self.height = height
    count = width * height
    planeCount = planes
    base = .allocate(capacity: max(1, count * planes))
    base.initialize(repeating: 0, count: max(1, count * planes))
  }

  deinit { base.deallocate() }

  /// The samples of a plane in row order.
  subscript(plane: Int) -> UnsafeMutablePointer<Float> {
    precondition(plane >= 0 && plane < planeCount, "no such plane")
    return base + plane * count
  }

  /// The mean over (2 · radius + 1)² samples of `source`, edges replicated; `target` may be `source`.
  func boxMean(_ source: Int, radius: Int, into target: Int, sums: UnsafeMutablePointer<Float>) {
    let from = self[source], to = self[target]
    let scale = 1 / Float((2 * radius + 1) * (2 * radius + 1))
    // Down the columns into `sums` first, so that the source may be overwritten row by row afterwards.
    for y in 0..<height {
      let out = sums + y * width
      let middle = from + y * width
      for x in 0..<width { out[x] = middle[x] }
      for offset in 1..<(radius + 1) {
        let above = from + max(0, y - offset) * width
        let below = from + min(height - 1, y + offset) * width
        for x in 0..<width { out[x] += above[x] + below[x] }
      }
    }
    for y in 0..<height {
      let row = sums + y * width
      let out = to + y * width
      for x in 0..<width { out[x] = row[x] }
      for offset in 1..<(radius + 1) {
        let inner = max(offset, width - offset)
        for x in 0..<min(offset, width) { out[x] += row[0] + row[min(width - 1, x + offset)] }
        if offset < width - offset {
          for x in offset..<(width - offset) { out[x] += row[x - offset] + row[x + offset] }
        }
        if inner < width {
          for x in inner..<width { out[x] += row[x - offset] + row[width - 1] }
        }
      }
      for x in 0..<width { out[x] *= scale }
    }
  }
}
