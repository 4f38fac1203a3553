/// An affine map of R′G′B′ (0…1): out = M · in + offset, then clamped to 0…1.
///
/// Used as the grade of a layer: saturation, brightness, contrast, monochrome and any product of them.
package struct ColorMatrix: Sendable {
  /// Red, green and blue of the output, each as weights of red, green, blue and a constant: 3 rows of 4.
  package let rows: [[Double]]

  private init(_ rows: [[Double]]) {
    // This keeps the kernels' integers in range for any product.
    self.rows = rows.map { $0.map { $0.isFinite ? min(max($0, -1e6), 1e6) : 0 } }
  }

  /// The weights of red, green and blue in luma by ITU-R BT.709, which Core Image uses.
  package static let luma = (red: 0.2126, green: 0.7152, blue: 0.0722)

  /// 0 grey, 1 unchanged, above 1 stronger: out = luma + s · (in - luma), as `CIColorControls`.
  package static func saturation(_ s: Double) -> ColorMatrix {
    let (r, g, b) = (luma.red * (1 - s), luma.green * (1 - s), luma.blue * (1 - s))
    return ColorMatrix([[r + s, g, b, 0], [r, g + s, b, 0], [r, g, b + s, 0]])
  }

  /// Adds `b` (-1…1) to every channel, as `CIColorControls`.
  package static func brightness(_ b: Double) -> ColorMatrix {
    ColorMatrix([[1, 0, 0, b], [0, 1, 0, b], [0, 0, 1, b]])
  }

  /// Stretches by `c` about mid-grey: out = (in - 0.5) · c + 0.5, as `CIColorControls`.
  package static func contrast(_ c: Double) -> ColorMatrix {
    let offset = 0.5 - 0.5 * c
    return ColorMatrix([[c, 0, 0, offset], [0, c, 0, offset], [0, 0, c, offset]])
  }

  /// Grey of these weights, mixed with the picture: 0 unchanged … 1 grey.
  package static func gray(red: Double, green: Double, blue: Double, amount: Double) -> ColorMatrix {
    let weights = [red * amount, green * amount, blue * amount]
    return ColorMatrix(
      (0..<3).map { row in (0..<3).map { weights[$0] + ($0 == row ? 1 - amount : 0) } + [0] })
  }

  /// Applies `b`, then `a`, without clamping in between.
  package static func * (a: ColorMatrix, b: ColorMatrix) -> ColorMatrix {
    var rows: [[Double]] = []
    for row in a.rows {
      var product = [0, 0, 0, row[3]]
      for (weight, other) in zip(row, b.rows) {
        for j in 0..<4 { product[j] += weight * other[j] }
      }
      rows.append(product)
    }
    return ColorMatrix(rows)
  }
}
