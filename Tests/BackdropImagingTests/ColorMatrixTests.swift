import Testing

@testable import BackdropImaging

@Suite struct ColorMatrixTests {
  private static func apply(_ m: ColorMatrix, _ rgb: [Double]) -> [Double] {
    m.rows.map { $0[0] * rgb[0] + $0[1] * rgb[1] + $0[2] * rgb[2] + $0[3] }
  }

  @Test func matrixAlgebra() {
    let a = ColorMatrix.contrast(1.3), b = ColorMatrix.saturation(0.4) * .brightness(0.1)
    let color = [0.2, 0.7, 0.4]
    let both = Self.apply(a * b, color), oneByOne = Self.apply(a, Self.apply(b, color))
    for (x, y) in zip(both, oneByOne) { #expect(abs(x - y) < 1e-12) }
    // Rec. 709 luma of pure green.
    #expect(abs(Self.apply(.saturation(0), [0, 1, 0])[0] - 0.7152) < 1e-12)
    #expect((ColorMatrix.saturation(1) * a).rows == a.rows)
  }
}
