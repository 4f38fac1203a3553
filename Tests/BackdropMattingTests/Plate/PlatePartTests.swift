import BackdropImaging
import CBackdropKernels
import TestSupport
import Testing

@testable import BackdropMatting

/// The parts of the plate compared with slow oracles and closed forms.
@Suite struct PlatePartTests {
  @Test(arguments: [(1, 1), (2, 5), (5, 2), (3, 3), (17, 9), (40, 31)])
  func meansEqualTheSlowOnes(_ width: Int, _ height: Int) {
    var random = SeededRandom(seed: UInt64(width * 100 + height))
    for cpu in CPULevel.supported {
      let planes = PlatePlanes(width: width, height: height, planes: 3)
      let values = (0..<width * height).map { _ in Float(random.next() >> 48) / 65536 }
      for at in values.indices { planes[0][at] = values[at] }
      planes.mean(0, into: 1, sums: planes[2], cpu.kernels.plate)
      planes.mean(0, into: 0, sums: planes[2], cpu.kernels.plate)
      for (y, x) in product(0..<height, 0..<width) {
        var sum = 0.0
        for (dy, dx) in product(-1...1, -1...1) {
          let (i, j) = (min(max(x + dx, 0), width - 1), min(max(y + dy, 0), height - 1))
          sum += Double(values[j * width + i])
        }
        let mean = sum / 9
        #expect(abs(Double(planes[1][y * width + x]) - mean) < 1e-5, "\(width)×\(height) \(cpu)")
        #expect(planes[0][y * width + x] == planes[1][y * width + x])
      }
    }
  }

  /// One sample in five is not background, and the fit ignores it.
  @Test(arguments: [(Float(1), Float(0)), (0.7, 0), (1.3, -20), (0.9, 15)])
  func fitsTheLight(_ gain: Float, _ offset: Float) {
    var random = SeededRandom(seed: 5)
    let planes = PlatePlanes(width: 50, height: 40, planes: 6)
    for (at, channel) in product(0..<planes.count, 0..<3) {
      let value = 40 + Float(random.next() % 120)
      planes[channel][at] = value
      planes[3 + channel][at] = at % 5 == 0 ? Float(random.next() % 256) : gain * value + offset
    }
    let light = PlateLight().fitted(
      frame: (3..<6).map { planes[$0] }, plate: (0..<3).map { planes[$0] }, samples: (0..<2000).map { Int32($0) },
      CPULevel.current.kernels.plate)
    for channel in 0..<3 {
      #expect(abs(light.gain[channel] - gain) < 0.03, "\(light)")
      #expect(abs(light.offset[channel] + light.gain[channel] * 100 - gain * 100 - offset) < 1, "\(light)")
    }
  }

  /// A cell's weights come from itself and its eight neighbours, and from people up to two cells away.
  @Test func cellsAreWeighedWithTheirNeighbours() {
    var cells = PlateCells(width: 72, height: 72)
    // In the middle cell, people and a background that the plate does not explain.
    _ = cells.count { y, cells in
      for column in 0..<9 {
        let cell = cells + 5 * column
        let isMiddle = column == 4 && y / 8 == 4
        cell[0] += 8
        cell[1] += isMiddle ? 0 : 8
        cell[4] += isMiddle ? 8 : 0
      }
    }
    cells.weigh()
    func distance(_ index: Int) -> Int { max(abs(index / 9 - 4), abs(index % 9 - 4)) }
    for index in cells.weights.indices {
      let weight = cells.weights[index]
      switch distance(index) {
      case 0...1: #expect(weight.x > 0 && weight.x < 1 && weight.y == weight.x)
      case 2: #expect(weight.x == 1 && weight.y == 1)
      default: #expect(weight.x == 0 && weight.y == 1)
      }
    }
  }

  /// The grouping into eight columns does not change the result: the test compares a picture with itself shifted left by 1 to 8 columns,
  /// which shifts the groups.
  @Test(arguments: [16, 17, 23, 40])
  func differencesDoNotDependOnTheColumn(_ width: Int) {
    var random = SeededRandom(seed: UInt64(width))
    let height = 5
    let wide = PlatePlanes(width: width + 8, height: height, planes: 7)
    for at in 0..<6 * wide.count { wide[0][at] = Float(random.next() % 256) }
    let light = PlateLight(gain: [0.9, 1.1, 1], offset: [3, -5, 0])
    func squares(_ planes: PlatePlanes) -> UnsafeMutablePointer<Float> {
      PlateDifference(width: planes.width, height: height, kernels: CPULevel.current.kernels.plate).squares(
        frame: (0..<3).map { planes[$0] }, plate: (3..<6).map { planes[$0] }, light: light, into: planes[6])
      return planes[6]
    }
    let all = squares(wide)
    for shift in 1...8 {
      let part = PlatePlanes(width: width, height: height, planes: 7)
      for (plane, y) in product(0..<6, 0..<height) {
        for x in 0..<width { part[plane][y * width + x] = wide[plane][y * wide.width + x + shift] }
      }
      let found = squares(part)
      for y in 0..<height {
        // The outermost columns have different neighbours.
        for x in 1..<(width - 1) {
          let expected = all[y * wide.width + x + shift]
          #expect(abs(found[y * width + x] - expected) <= 1e-4 * max(1, expected), "\(width) \(shift) \(x),\(y)")
        }
      }
    }
  }

  /// In closed form: values within the plate's range have distance 0, a shadow costs 20 times its depth, and all other differences count
  /// squared.
  @Test(arguments: CPULevel.supported) func differencesAreThoseOfTheClosedForm(_ cpu: CPULevel) {
    let planes = PlatePlanes(width: 16, height: 3, planes: 7)
    for at in 0..<planes.count {
      for channel in 0..<3 { (planes[channel][at], planes[3 + channel][at]) = (100, 100) }
    }
    func put(_ x: Int, _ r: Float, _ g: Float, _ b: Float) {
      (planes[0][16 + x], planes[1][16 + x], planes[2][16 + x]) = (r, g, b)
    }
    put(2, 110, 100, 95)
    put(5, 80, 80, 80)
    put(8, 30, 30, 30)
    planes[3][16 + 12] = 140
    put(11, 120, 100, 100)
    PlateDifference(width: 16, height: 3, kernels: cpu.kernels.plate).squares(
      frame: (0..<3).map { planes[$0] }, plate: (3..<6).map { planes[$0] }, light: PlateLight(), into: planes[6])
    let row = planes[6] + 16
    #expect(row[0] == 0)
    #expect(row[2] == 125)
    // A shadow of a fifth.
    #expect(abs(row[5] - 16) < 1e-3)
    // Darker than a shadow: the squared remainder, plus the cost of the deepest shadow.
    #expect(abs(row[8] - (3 * 40 * 40 + 36)) < 1e-1)
    // A neighbour has the same red.
    #expect(row[11] == 0)
  }

  /// A plate that differs as much in the background as on the person gives no evidence.
  @Test func equalCountsSayNothing() throws {
    var evidence = PlateEvidence()
    #expect(evidence.ratios == nil)
    let counts = (0..<PlateEvidence.binCount).map { Int32(100 + 7 * $0) }
    evidence.add(background: counts, person: counts.map { 3 * $0 })
    #expect(try #require(evidence.ratios).allSatisfy { abs($0) < 1e-3 })
  }

  @Test func ratiosRiseWithTheDifference() throws {
    var random = SeededRandom(seed: 8)
    for _ in 0..<50 {
      var evidence = PlateEvidence()
      evidence.add(
        background: (0..<PlateEvidence.binCount).map { _ in Int32(random.next() % 900) },
        person: (0..<PlateEvidence.binCount).map { _ in Int32(random.next() % 900) })
      let ratios = try #require(evidence.ratios)
      #expect(zip(ratios, ratios.dropFirst()).allSatisfy { $0 <= $1 })
      #expect(ratios.allSatisfy { abs($0) <= PlateEvidence.most })
    }
  }
}
