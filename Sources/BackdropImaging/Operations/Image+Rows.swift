import Libc

extension Image {
  /// Copies rows of another picture of the same width and interleaved format into this one, beginning with row `target`.
  package mutating func copyRows(_ rows: Range<Int>, of other: Image, to target: Int) {
    precondition(
      format == other.format && width == other.width && format.planeCount == 1 && rows.lowerBound >= 0
        && rows.upperBound <= other.height && target >= 0 && target + rows.count <= height)
    let (from, to) = (other.layout(0).bytesPerRow, layout(0).bytesPerRow)
    let count = layout(0).rowBytes
    other.withUnsafeBytes { source in
      withUnsafeMutableBytes { bytes in
        for (index, row) in rows.enumerated() { memcpy(bytes + (target + index) * to, source + row * from, count) }
      }
    }
  }
}
