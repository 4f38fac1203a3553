import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropDepth

/// Scaling mattes to other sizes.
@Suite struct MatteTests {
  @Test(arguments: CPULevel.supported)
  func scalingEqualsTheOracle(cpu: CPULevel) {
    for (index, size) in [(1, 1), (2, 3), (5, 4), (16, 9), (33, 20), (64, 48), (100, 7), (40, 30)].enumerated() {
      var random = SeededRandom(seed: UInt64(index))
      let samples = (0..<size.0 * size.1).map { _ in
        Double.random(in: 0..<1, using: &random) < 0.5
          ? [0, 32768].randomElement(using: &random)! : UInt16.random(in: 0...32768, using: &random)
      }
      let source = Plane(samples, width: size.0, height: size.1, stride: size.0 + index)
      for target in [(1, 1), (3, 2), (7, 5), (16, 16), (31, 9), (33, 40), (130, 61), (64, 48)] {
        let plan = MatteUpsampling(
          fromWidth: size.0, height: size.1, toWidth: target.0, height: target.1, cpu: cpu)
        let made = plan.apply(to: source).samples
        let wanted = MatteOracle.scaled(
          samples.map { Double($0) / 32768 }, width: size.0, height: size.1, toWidth: target.0, height: target.1)
        // In steps of 1/32768: rounding the rows between the passes to 2 steps adds up to 1 · 1.375 (the sum of the weights' sizes),
        // rounding three weights to 1 step and adding their errors to the fourth up to 3 · 0.5, rounding the result up to 0.5.
        let worst = zip(made, wanted).map { abs(Double($0) - $1 * 32768) }.max()!
        #expect(worst <= 1.375 + 1.5 + 0.5, "\(size) to \(target)")
      }
    }
  }

  @Test func constantMattesStayConstant() {
    for value in [0.0, 1] {
      let matte = Matte(constant: value, width: 7, height: 5).scaled(toWidth: 40, height: 31)
      #expect(matte.q15.samples.allSatisfy { $0 == UInt16(value * 32768) })
      #expect(matte.coverage == value && matte.coverage(everyRow: 3) == value)
      #expect(matte.image.row(3)[5] == UInt8(value * 255))
    }
  }
}
