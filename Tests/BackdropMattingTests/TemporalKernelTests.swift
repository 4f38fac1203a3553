import BackdropImaging
import CBackdropKernels
import TestSupport
import Testing

/// The row kernels compared with their definitions in double precision, for widths around multiples of a vector.
@Suite struct TemporalKernelTests {
  private static let counts = Array(1...50) + [255, 256, 257]

  @Test(arguments: CPULevel.supported, [1, 3, 4]) func brightness(_ cpu: CPULevel, _ step: Int) {
    for count in Self.counts {
      var random = SeededRandom(seed: UInt64(count))
      let bytes = (0..<count * step).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      var made = [Float](repeating: -1, count: count + 1)
      cpu.kernels.temporal.brightness(bytes, Int32(step), count, &made)
      for x in 0..<count {
        let colors = bytes[x * step..<x * step + min(step, 3)].map(Double.init)
        let wanted = colors.reduce(0, +) / Double(255 * colors.count)
        #expect(abs(Double(made[x]) - wanted) < 1e-6, "count \(count) x \(x)")
      }
      #expect(made[count] == -1)
    }
  }

  @Test(arguments: CPULevel.supported) func differenceAndLargest(_ cpu: CPULevel) {
    for count in Self.counts {
      var random = SeededRandom(seed: UInt64(count))
      let a = (0..<count).map { _ in Float.random(in: 0...1, using: &random) }
      let b = (0..<count).map { _ in Float.random(in: 0...1, using: &random) }
      var made = [Float](repeating: -1, count: count + 1)
      let sum = cpu.kernels.temporal.difference(a, b, count, &made)
      let wanted = zip(a, b).map { abs($0 - $1) }
      #expect(Array(made[..<count]) == wanted, "count \(count)")
      #expect(made[count] == -1)
      #expect(abs(Double(sum) - wanted.map(Double.init).reduce(0, +)) < 1e-4, "count \(count)")
      #expect(cpu.kernels.temporal.largest(made, count) == wanted.max(), "count \(count)")
    }
  }

  @Test(arguments: CPULevel.supported) func settle(_ cpu: CPULevel) {
    for count in Self.counts {
      var random = SeededRandom(seed: UInt64(count))
      let matte = (0..<count).map { _ in UInt16.random(in: 0...40_000, using: &random) }
      let state = (0..<count).map { _ in Float.random(in: 0...32768, using: &random) }
      let change = (0..<count).map { _ in Float.random(in: 0...0.08, using: &random) }
      var (made, settled) = (matte + [7], state + [7])
      cpu.kernels.temporal.settle(&made, &settled, change, count, 0.2, 0.01, 20)
      for x in 0..<count {
        let gain = min(1, Double(Float(0.2)) + max(0, Double(change[x]) - Double(Float(0.01))) * 20)
        let wanted = Double(state[x]) + gain * (Double(min(matte[x], 32768)) - Double(state[x]))
        // Samples have 24 bits: a few steps of 1/512 at 32768.
        #expect(abs(Double(settled[x]) - wanted) < 0.02, "count \(count) x \(x)")
        #expect(abs(Double(made[x]) - wanted) < 0.53, "count \(count) x \(x)")
      }
      #expect(made[count] == 7 && settled[count] == 7)
    }
  }

  @Test(arguments: CPULevel.supported) func calm(_ cpu: CPULevel) {
    for count in Self.counts {
      var random = SeededRandom(seed: UInt64(count))
      let matte = (0..<count).map { _ in UInt16.random(in: 0...40_000, using: &random) }
      // The kernel skips whole vectors without a change.
      let state = (0..<count).map {
        $0 / 16 % 2 == 0 ? min(matte[$0], 32768) : UInt16.random(in: 0...32768, using: &random)
      }
      let gains = (0..<5).map { _ in Float.random(in: 0...1, using: &random) }
      // Outside the frame there is no gain.
      let columns = (0..<count).map { _ in Int32.random(in: -1..<5, using: &random) }
      var (made, settled) = (matte + [7], state + [7])
      cpu.kernels.temporal.calm(&made, &settled, gains, columns, count, 0.1, 1 / 20_000)
      for x in 0..<count {
        let step = Double(min(matte[x], 32768)) - Double(state[x])
        let gain = columns[x] < 0 ? 1 : Double(gains[Int(columns[x])])
        let wanted = Double(state[x]) + max(gain, 1 - abs(step) / 20_000, 0.1) * step
        #expect(abs(Double(made[x]) - wanted) < 0.51, "count \(count) x \(x)")
        #expect(made[x] == settled[x])
      }
      #expect(made[count] == 7 && settled[count] == 7)
    }
  }

  @Test(arguments: CPULevel.supported, [false, true]) func movement(_ cpu: CPULevel, _ isPlain: Bool) {
    for count in Self.counts {
      var random = SeededRandom(seed: UInt64(count))
      let matte = (0..<count).map { _ in UInt16.random(in: 0...33_000, using: &random) }
      let before = (0..<count).map { _ in Float.random(in: 0...1, using: &random) }
      let now = before.map { $0 + Float.random(in: -0.1...0.1, using: &random) }
      let change = (0..<count).map { _ in Float.random(in: 0...0.1, using: &random) }
      var bounds = bd_movement_bounds(outside: 10_000, inside: 20_000, change: 0.05)
      var made = bd_movement(
        round: 3, within: 4, round_changed: 5, within_changed: 6, sum: 1, sum_before: 2, squares: 3, products: 4)
      let kernels = cpu.kernels.temporal
      if isPlain {
        kernels.movement(nil, before, now, nil, count, &bounds, &made)
      } else {
        kernels.movement(matte, before, now, change, count, &bounds, &made)
      }
      let others = kernels.others(isPlain ? nil : matte, before, now, count, &bounds, 0.9, 0.02)
      // The kernel reads every second sample, and adds to the existing sums.
      let asked = Array(stride(from: 0, to: count, by: 2))
      let round = asked.filter { isPlain || matte[$0] < 10_000 }
      let within = asked.filter { !isPlain && matte[$0] > 20_000 }
      func isChanged(_ x: Int) -> Bool { (isPlain ? abs(now[x] - before[x]) : change[x]) > 0.05 }
      #expect(made.round == Int64(3 + round.count) && made.within == Int64(4 + within.count), "count \(count)")
      #expect(made.round_changed == Int64(5 + round.count(where: isChanged)), "count \(count)")
      #expect(made.within_changed == Int64(6 + within.count(where: isChanged)), "count \(count)")
      func sum(_ value: (Double, Double) -> Double) -> Double {
        round.reduce(0) { $0 + value(Double(before[$1]), Double(now[$1])) }
      }
      #expect(abs(made.sum - 1 - sum { $1 }) < 1e-4 && abs(made.sum_before - 2 - sum { a, _ in a }) < 1e-4)
      #expect(abs(made.squares - 3 - sum { a, _ in a * a }) < 1e-4 && abs(made.products - 4 - sum { $0 * $1 }) < 1e-4)
      // A value at the bound may be on either side of it in single precision.
      let rests = round.map { abs(Double(now[$0]) - Double(Float(0.9)) * Double(before[$0]) - Double(Float(0.02))) }
      let bound = Double(Float(0.05))
      #expect(
        others >= rests.count { $0 > bound + 1e-6 } && others <= rests.count { $0 > bound - 1e-6 }, "count \(count)")
    }
  }

  @Test(arguments: CPULevel.supported) func uncertainty(_ cpu: CPULevel) {
    for count in Self.counts + [65_535, 65_536, 200_001] {
      var random = SeededRandom(seed: UInt64(count))
      let matte = (0..<count).map { _ in UInt16.random(in: .min ... .max, using: &random) }
      let wanted = matte.reduce(0 as UInt64) { $0 + UInt64(min(min($1, 32768), 32768 - min($1, 32768))) }
      #expect(cpu.kernels.temporal.uncertainty(matte, count) == wanted, "count \(count)")
    }
  }

  @Test(arguments: CPULevel.supported) func sum(_ cpu: CPULevel) {
    for count in Self.counts + [65_535, 65_536, 200_001] {
      var random = SeededRandom(seed: UInt64(count))
      let matte = (0..<count).map { _ in UInt16.random(in: 20_000...65_535, using: &random) }
      #expect(
        cpu.kernels.temporal.sum(matte, count) == matte.reduce(0) { $0 + UInt64(min($1, 32768)) }, "count \(count)")
    }
  }

  @Test(arguments: CPULevel.supported) func mattesInAndOut(_ cpu: CPULevel) {
    for count in Self.counts {
      var random = SeededRandom(seed: UInt64(count))
      var numbers = (0..<count).map { _ in Float.random(in: -0.5...1.5, using: &random) }
      numbers[count / 2] = .nan
      var made = [UInt16](repeating: 7, count: count + 1)
      cpu.kernels.temporal.quantise(numbers, count, &made)
      let bytes = (0..<4 * count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      let matte = (0..<count).map { _ in UInt16.random(in: 0...40_000, using: &random) }
      var sums = [UInt32](repeating: 5, count: count + 1)
      cpu.kernels.temporal.accumulate(matte, count, &sums)
      var stretched = [Float](repeating: -1, count: count + 1)
      cpu.kernels.temporal.stretch(matte, count, 655, 1 / 31_458, &stretched)
      for x in 0..<count {
        let wanted = numbers[x].isNaN ? 0 : min(max(Double(numbers[x]), 0), 1) * 32768
        #expect(abs(Double(made[x]) - wanted) <= 0.501, "count \(count) x \(x)")
        #expect(sums[x] == 5 + UInt32(min(matte[x], 32768)), "count \(count) x \(x)")
        let opacity = min(max((Double(matte[x]) - 655) / 31_458, 0), 1)
        #expect(abs(Double(stretched[x]) - opacity) < 1e-6, "count \(count) x \(x)")
      }
      #expect(made[count] == 7 && sums[count] == 5 && stretched[count] == -1)
      for (step, shift) in [(1, 0), (2, 0), (3, 0), (4, 0), (1, 1), (2, 1)] {
        var channel = [Float](repeating: -1, count: count + 1)
        cpu.kernels.temporal.channel(bytes, step, Int32(shift), count, &channel)
        for x in 0..<count {
          #expect(
            abs(channel[x] - Float(bytes[(x >> shift) * step]) / 255) < 1e-6, "count \(count) step \(step) x \(x)")
        }
        #expect(channel[count] == -1)
      }
    }
  }

  /// All layouts of networks: interleaved pixels in either order, and planes.
  @Test(arguments: CPULevel.supported, [[0, 1, 2], [2, 1, 0], [0, 60, 120]])
  func tensor(_ cpu: CPULevel, _ starts: [Int]) {
    let step = starts[1] == 1 ? 3 : 1
    for count in Self.counts where count <= 60 {
      var random = SeededRandom(seed: UInt64(count))
      let bytes = (0..<4 * count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      let (factor, offset): ([Float], [Float]) = ([0.5, 0.25, 2], [1, -3, 0.5])
      let order: [Int32] = [2, 1, 0]
      var made = [Float](repeating: -99, count: 200)
      var wanted = made
      for x in 0..<count {
        for c in 0..<3 { wanted[starts[c] + x * step] = Float(bytes[4 * x + Int(order[c])]) * factor[c] + offset[c] }
      }
      cpu.kernels.temporal.tensor(bytes, count, order, factor, offset, &made, starts, step)
      // Products and sums of these numbers are exact.
      #expect(made == wanted, "count \(count)")
    }
  }
}
