import BackdropImaging
import CBackdropKernels
import TestSupport
import Testing

/// The row kernels compared with their definitions in double precision, for widths around multiples of a vector.
@Suite struct PlateKernelTests {
  private static let counts = Array(1...50) + [255, 256, 257]

  private func values(_ count: Int, _ range: ClosedRange<Float>, _ random: inout SeededRandom) -> [Float] {
    (0..<count).map { _ in Float.random(in: range, using: &random) }
  }

  @Test(arguments: CPULevel.supported) func pixelsAndMattes(_ cpu: CPULevel) {
    for count in Self.counts {
      var random = SeededRandom(seed: UInt64(count))
      let pixels = (0..<4 * count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      let matte = (0..<count).map { _ in UInt16.random(in: 0...40_000, using: &random) }
      var red = [Float](repeating: -1, count: count + 1)
      var (green, blue, opacity) = (red, red, red)
      cpu.kernels.plate.split(pixels, count, &red, &green, &blue)
      cpu.kernels.temporal.stretch(matte, count, 0, 1 / 32768, &opacity)
      let made = [red, green, blue, opacity]
      for x in 0..<count {
        for channel in 0..<3 {
          #expect(made[channel][x] == Float(pixels[4 * x + 2 - channel]), "count \(count) x \(x)")
        }
        #expect(made[3][x] == Float(min(matte[x], 32768)) / 32768, "count \(count) x \(x)")
      }
      #expect(made.allSatisfy { $0[count] == -1 })
    }
  }

  @Test(arguments: CPULevel.supported) func bounds(_ cpu: CPULevel) {
    for count in Self.counts {
      var random = SeededRandom(seed: UInt64(count))
      let rows = (0..<3).map { _ in values(count, 0...255, &random) }
      var (lower, upper, center) = (
        [Float](repeating: -1, count: count + 3), [Float](repeating: -1, count: count + 3),
        [Float](repeating: -1, count: count + 1)
      )
      cpu.kernels.plate.bounds(rows[0], rows[1], rows[2], count, 0.75, -3, &lower, &upper, &center)
      for x in -1...count {
        let at = min(max(x, 0), count - 1)
        let column = rows.map { Double($0[at]) }
        #expect(abs(Double(lower[x + 1]) - (0.75 * (column.min() ?? 0) - 3)) < 1e-4, "count \(count) x \(x)")
        #expect(abs(Double(upper[x + 1]) - (0.75 * (column.max() ?? 0) - 3)) < 1e-4, "count \(count) x \(x)")
        if x == at { #expect(abs(Double(center[x]) - (0.75 * column[1] - 3)) < 1e-4, "count \(count) x \(x)") }
      }
      #expect(lower[count + 2] == -1 && upper[count + 2] == -1 && center[count] == -1)
    }
  }

  @Test(arguments: CPULevel.supported) func deviationsAndRatios(_ cpu: CPULevel) {
    let table = (0..<1024).map { Float($0) / 256 - 2 }
    for count in Self.counts {
      var random = SeededRandom(seed: UInt64(count))
      let squares = values(count, -10...70_000, &random)
      let variance = values(count, 0...400, &random)
      var made = squares + [7]
      cpu.kernels.plate.deviations(&made, variance, count, 9)
      var ratios = [Float](repeating: -9, count: count + 1)
      cpu.kernels.plate.ratios(made, count, 63.9, table, 0.5, &ratios)
      for x in 0..<count {
        let wanted = (max(0, Double(squares[x])) / (Double(variance[x]) + 9)).squareRoot()
        #expect(abs(Double(made[x]) - wanted) <= 1e-5 * max(1, wanted), "count \(count) x \(x)")
        #expect(ratios[x] == table[Int(min(made[x], 63.9) * 16)] / 2, "count \(count) x \(x)")
      }
      #expect(made[count] == 7 && ratios[count] == -9)
    }
  }

  @Test(arguments: CPULevel.supported) func census(_ cpu: CPULevel) {
    let kinds = 24
    let bins = (0..<1024).map { UInt8($0 * kinds / 1024) }
    var limits = bd_plate_limits(enough: 3, explained: 3, sure_person: 0.95, largest: 63.9)
    for count in Self.counts {
      var random = SeededRandom(seed: UInt64(count))
      let difference = values(count, 0...90, &random).map { $0 < 45 ? $0 / 9 : $0 }
      let certain = (0..<count).map { _ in Float(Int.random(in: 0...1, using: &random)) }
      let seen = (0..<count).map { _ in Float(Int.random(in: 0...6, using: &random)) }
      let opacity = values(count, 0...1.2, &random).map { min($0, 1) }
      var counts = [Int32](repeating: 0, count: 3 * kinds)
      var cells = [Float](repeating: 0.5, count: 5 * ((count + 7) / 8) + 1)
      cpu.kernels.plate.census(difference, certain, seen, opacity, count, &limits, bins, &counts, kinds, &cells)
      var wantedCounts = [Int32](repeating: 0, count: 3 * kinds)
      var wantedCells = [Float](repeating: 0.5, count: cells.count)
      for x in 0..<count {
        let isKnown = seen[x] >= 3
        let kind = isKnown && certain[x] > 0 ? 1 : isKnown && opacity[x] > 0.95 ? 2 : 0
        wantedCounts[kind * kinds + Int(bins[Int(min(difference[x], 63.9) * 16)])] += 1
        let cell = x / 8 * 5
        if opacity[x] > 0.5 { wantedCells[cell + 4] += 1 }
        guard kind > 0 else { continue }
        wantedCells[cell + 2 * kind - 2] += 1
        if difference[x] < 3 { wantedCells[cell + 2 * kind - 1] += 1 }
      }
      #expect(counts == wantedCounts, "count \(count)")
      #expect(cells == wantedCells, "count \(count)")
    }
  }

  @Test(arguments: CPULevel.supported) func weighing(_ cpu: CPULevel) {
    for count in Self.counts {
      var random = SeededRandom(seed: UInt64(count))
      let ratio = values(count, -6...6, &random).map { abs($0) < 1 ? 0 : $0 }
      let (forPerson, against) = (values(count, 0...1, &random), values(count, 0...1, &random))
      let seen = (0..<count).map { _ in Float(Int.random(in: 0...6, using: &random)) }
      var made = [Float](repeating: 7, count: count + 1)
      cpu.kernels.plate.weigh(ratio, forPerson, against, seen, count, 3, &made)
      for x in 0..<count {
        #expect(
          made[x] == (seen[x] >= 3 ? ratio[x] * (ratio[x] > 0 ? forPerson[x] : against[x]) : 0), "count \(count) x \(x)"
        )
      }
      #expect(made[count] == 7)
    }
  }

  @Test(arguments: CPULevel.supported) func fitting(_ cpu: CPULevel) {
    for count in Self.counts {
      var random = SeededRandom(seed: UInt64(count))
      let (values, means) = (values(count, 0...255, &random), values(count, 0...255, &random))
      var made: [Float] = [0, 0, 0, 0, 0]
      cpu.kernels.plate.fit(values, means, count, 1.1, -4, 0.001, &made)
      var wanted: [Double] = [0, 0, 0, 0, 0]
      var sizes = wanted
      for x in 0..<count {
        let (a, b) = (Double(means[x]), Double(values[x]))
        let residual = b - (Double(Float(1.1)) * a - 4)
        let weight = 1 / ((1 + residual * residual * 0.001) * (1 + residual * residual * 0.001))
        for (index, term) in [1, a - 128, b - 128, (a - 128) * (a - 128), (a - 128) * (b - 128)].enumerated() {
          wanted[index] += weight * term
          sizes[index] += weight * abs(term)
        }
      }
      for index in 0..<5 {
        #expect(abs(Double(made[index]) - wanted[index]) <= 1e-4 * sizes[index] + 1e-6, "count \(count) sum \(index)")
      }
    }
  }
}
