import BackdropImaging
import CBackdropKernels
import TestSupport
import Testing

@testable import BackdropSimulation

/// The sprite sampler compared with a slow version in Double.
@Suite struct SimulationKernelTests {
  @Test(arguments: 0..<12) func samplesLikeTheOracle(_ seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    var painting = Painting(left: 0, top: 0, right: 30, bottom: 20, scale: 1)
    for row in 2..<painting.height - 2 {
      for column in 2..<painting.width - 2 where Int.random(in: 0..<4, using: &random) > 0 {
        let share = Float.random(in: 0...1, using: &random)
        painting.lay(SIMD3(.random(in: 0...1, using: &random), 0.5, 0.2), share, at: row * painting.width + column)
      }
    }
    let sprite = Sprite(painting, distance: nil)
    let width = Int.random(in: 16...70, using: &random)
    let height = Int.random(in: 16...50, using: &random)
    let turn = Float.random(in: -0.4...0.4, using: &random)
    let zoom = Float.random(in: 0.4...1.3, using: &random)
    // Linear, so that interpolating between nodes is exact.
    func source(_ x: Float, _ y: Float) -> SIMD2<Float> { SIMD2(x * zoom - y * turn + 2, y * zoom + x * turn - 3) }
    let placement = Placement(
      sprite, plane: [0, 0, 0], width: width, height: height, bounds: (0, 0, Float(width), Float(height)),
      source: source)
    func texel(_ u: Int, _ v: Int, _ c: Int) -> Double {
      guard u >= 0 && v >= 0 && u < sprite.width && v < sprite.height else { return 0 }
      return Double(sprite.texels[4 * u + c, v])
    }
    for (level, y) in product(CPULevel.supported, 0..<height) {
      var row = [UInt16](repeating: 0, count: 4 * width)
      for x in 0..<4 * width { row[x] = UInt16((x * 977 + y * 131) % 20000) }
      let before = row
      placement.withLayer { level.kernels.render.layer_row(&row, Int32(width), Int32(y), $0, $1) }
      for x in 0..<width {
        let p = source(Float(x) + 0.5, Float(y) + 0.5)
        let u = Double((p.x - sprite.left) * sprite.scale) - 0.5
        let v = Double((p.y - sprite.top) * sprite.scale) - 0.5
        let (iu, iv) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
        let (fu, fv) = (u - u.rounded(.down), v - v.rounded(.down))
        func sampled(_ c: Int) -> Double {
          let top = texel(iu, iv, c) * (1 - fu) + texel(iu + 1, iv, c) * fu
          let bottom = texel(iu, iv + 1, c) * (1 - fu) + texel(iu + 1, iv + 1, c) * fu
          return top * (1 - fv) + bottom * fv
        }
        let share = sampled(3) / 32768
        for c in 0..<4 {
          let expected = sampled(c) + Double(before[4 * x + c]) * (1 - share)
          // Truncating positions to 1/256 texel in each direction, with steps of up to 32768, and 16 steps of rounding.
          #expect(
            abs(Double(row[4 * x + c]) - expected) < 32768 * 2.5 / 256, "seed \(seed), \(level), \(x), \(y), \(c)")
        }
      }
    }
  }

  @Test func portableFunctionsAreRight() {
    // Closed forms and tabulated values (Abramowitz and Stegun).
    #expect(abs(Portable.sin(0.5) - 0.479425538604203) < 1e-9)
    #expect(abs(Portable.sin(-1000.0) - -0.826879540532003) < 1e-8)
    #expect(abs(Portable.cos(2.0) - -0.416146836547142) < 1e-9)
    #expect(abs(Portable.exp(1) - 2.7182818) < 1e-5)
    #expect(abs(Portable.exp(-10) - 4.539993e-5) < 1e-9)
    #expect(Portable.exp(-100) == 0)
    #expect(abs(Portable.sRGBPower(0.5) - 0.749153538438341) < 1e-12)
    // IEC 61966-2-1: 0.18 is coded as 0.4614.
    #expect(abs(Light.code(0.18, Light.codes) - 0.46135613) < 1e-4)
  }
}
