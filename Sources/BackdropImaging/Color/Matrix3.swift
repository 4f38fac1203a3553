/// A 3×3 matrix, for colours and never for pixels.
package struct Matrix3: Sendable, Hashable {
  /// The profiles' white in X, Y, Z (ICC.1, section 7.2.16).
  package static let d50 = [0.9642, 1.0, 0.8249]

  package var rows: [[Double]]

  package init(_ rows: [[Double]]) { self.rows = rows }

  package init(columns a: [Double], _ b: [Double], _ c: [Double]) {
    rows = (0..<3).map { [a[$0], b[$0], c[$0]] }
  }

  package init(diagonal: [Double]) {
    rows = (0..<3).map { row in (0..<3).map { $0 == row ? diagonal[row] : 0 } }
  }

  package func column(_ index: Int) -> [Double] { rows.map { $0[index] } }

  package var determinant: Double {
    let (a, b, c) = (rows[0], rows[1], rows[2])
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2]
      * (b[0] * c[1] - b[1] * c[0])
  }

  /// `nil` for a singular matrix.
  package var inverse: Matrix3? {
    let determinant = determinant
    guard determinant.isFinite && abs(determinant) > 1e-12 else { return nil }
    func cofactor(_ row: Int, _ column: Int) -> Double {
      let (r, s) = ((row + 1) % 3, (row + 2) % 3)
      let (c, d) = ((column + 1) % 3, (column + 2) % 3)
      return rows[r][c] * rows[s][d] - rows[r][d] * rows[s][c]
    }
    return Matrix3((0..<3).map { row in (0..<3).map { cofactor($0, row) / determinant } })
  }

  /// Copies the rows, one after the other, into a kernel's array of nine floats.
  package func copy<Floats: BitwiseCopyable>(to floats: inout Floats) {
    withUnsafeMutableBytes(of: &floats) { bytes in
      let numbers = bytes.assumingMemoryBound(to: Float.self)
      for (index, value) in rows.joined().enumerated() { numbers[index] = Float(value) }
    }
  }

  package static func * (a: Matrix3, b: [Double]) -> [Double] {
    a.rows.map { $0[0] * b[0] + $0[1] * b[1] + $0[2] * b[2] }
  }

  package static func * (a: Matrix3, b: Matrix3) -> Matrix3 {
    Matrix3(columns: a * b.column(0), a * b.column(1), a * b.column(2))
  }
}
