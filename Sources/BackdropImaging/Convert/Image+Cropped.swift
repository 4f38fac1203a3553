import Libc

extension Image {
  /// The rectangle with the upper left corner (`x`, `y`), in the stored orientation; format and all other properties stay.
  ///
  /// In Y′CbCr formats with an odd corner, pixel pairs span two chroma samples; their mean is used, so that colour stays on its pixels.
  /// Even corners keep every sample.
  ///
  /// - Throws: `wrongArgument` if the rectangle is empty or extends outside.
  public func cropped(x: Int, y: Int, width: Int, height: Int) throws(BackdropError) -> Image {
    guard
      x >= 0, y >= 0, width > 0, height > 0, x < self.width, y < self.height, width <= self.width - x,
      height <= self.height - y
    else {
      throw BackdropError(
        .wrongArgument,
        "the rectangle of \(width)×\(height) at (\(x), \(y)) does not fit in \(self.width)×\(self.height)")
    }
    var result = sibling(width: width, height: height)
    let splitsX = format.isYUV && !x.isMultiple(of: 2)
    let splitsY = (format == .i420 || format == .nv12) && !y.isMultiple(of: 2)
    withRows(into: &result) { from, to in
      for plane in 0..<format.planeCount {
        let isChroma = plane > 0
        if splitsX && format == .yuyv {
          cropPairs(from, to, x: x, y: y, width: width)
        } else if isChroma && (splitsX || splitsY) {
          cropChroma(plane, from, to, x: x, y: y, channels: format == .nv12 ? 2 : 1)
        } else {
          let left = x == 0 ? 0 : isChroma ? x / 2 * (format == .nv12 ? 2 : 1) : format.rowBytes(plane: 0, width: x)
          let (top, layout) = (isChroma ? y / 2 : y, to.layouts[plane])
          for row in 0..<layout.rows {
            memcpy(to.row(row, plane), from.row(top + row, plane) + left, layout.rowBytes)
          }
        }
      }
    }
    return result
  }

  /// A half-size plane, from a corner that is odd in at least one direction.
  private func cropChroma(_ plane: Int, _ from: RowPointers, _ to: RowPointers, x: Int, y: Int, channels: Int) {
    let (source, target) = (from.layouts[plane], to.layouts[plane])
    let columns = source.rowBytes / channels
    for row in 0..<target.rows {
      let upper = from.row((y + 2 * row) / 2, plane)
      let lower = from.row(min((y + 2 * row + 1) / 2, source.rows - 1), plane)
      let output = to.row(row, plane)
      for column in 0..<target.rowBytes / channels {
        let left = (x + 2 * column) / 2 * channels
        let right = min((x + 2 * column + 1) / 2, columns - 1) * channels
        for channel in 0..<channels {
          let sum =
            Int(upper[left + channel]) + Int(upper[right + channel]) + Int(lower[left + channel])
            + Int(lower[right + channel])
          output[column * channels + channel] = UInt8((sum + 2) / 4)
        }
      }
    }
  }

  /// Interleaved pixel pairs, from an odd column.
  private func cropPairs(_ from: RowPointers, _ to: RowPointers, x: Int, y: Int, width: Int) {
    let lastPair = from.layouts[0].rowBytes / 4 - 1
    for row in 0..<to.layouts[0].rows {
      let (input, output) = (from.row(y + row), to.row(row))
      for pair in 0..<to.layouts[0].rowBytes / 4 {
        let first = x + 2 * pair
        let left = first / 2 * 4
        let right = min((first + 1) / 2, lastPair) * 4
        output[4 * pair] = input[2 * first]
        output[4 * pair + 2] = input[2 * min(first + 1, x + width - 1)]
        for channel in [1, 3] {
          output[4 * pair + channel] = UInt8((Int(input[left + channel]) + Int(input[right + channel]) + 1) / 2)
        }
      }
    }
  }
}
