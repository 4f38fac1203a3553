import Libc

extension Image {
  /// Copies rows of another picture of the same width and interleaved format into this one, beginning with row `target`.
  package mutating func copyRows(_ rows: Range<Int>, of other: Image, to target: Int) {
    precondition(
      format == other.format && width == other.width && format.planeCount == 1 && rows.lowerBound >= 0
        && rows.upperBound <= other.height && target >= 0 && target + rows.count <= height)
    let (count, down) = (layout(0).rowBytes, target - rows.lowerBound)
    other.withRows(into: &self) { from, to in
      for row in rows { memcpy(to.row(row + down), from.row(row), count) }
    }
  }
}
