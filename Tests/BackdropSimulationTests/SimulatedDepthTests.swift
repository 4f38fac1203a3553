import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropSimulation

/// The simulated sensor's effects on exact depth. f · b is 540 px · 0.05 m = 27 pixel metres for maps 640 wide.
@Suite struct SimulatedDepthTests {
  private static let reach: Double = 27

  /// Errors by distance, on surfaces that are flat enough to make the sensor's blur negligible.
  private func errors(scenario: Scenario, frames: [Int]) throws -> [Int: [Double]] {
    let camera = try #require(Simulated.full[scenario])
    var bins: [Int: [Double]] = [:]
    for index in frames {
      let frame = camera.frame(index)
      let measured = try #require(frame.frame.depth).metres
      let exact = frame.trueDepth.metres
      for (y, x) in product(2..<exact.height - 2, 3..<exact.width - 3) {
        let z = exact[x, y]
        let flat = 0.00015 * z * z
        guard abs(exact[x - 1, y] - z) < flat, abs(exact[x + 1, y] - z) < flat else { continue }
        // Only away from steps in depth, where the sensor may measure the other surface.
        guard (y - 2...y + 2).allSatisfy({ row in (x - 3...x + 3).allSatisfy { abs(exact[$0, row] - z) < 0.02 } })
        else { continue }
        let error = Double(measured[x, y] - z)
        if !error.isNaN { bins[Int(z * 10), default: []].append(error) }
      }
    }
    return bins
  }

  @Test func theErrorGrowsWithTheSquareOfTheDistance() throws {
    let bins = try errors(scenario: .talking, frames: [3, 50, 97, 144]).filter { $0.value.count > 3000 }
    var points: [(x: Double, y: Double)] = []
    // Noise of 0.035 px and steps of 1/8 px, which are uniform.
    let disparity = (0.035 * 0.035 + 1.0 / 8 / 8 / 12).squareRoot()
    for (bin, errors) in bins {
      let z = (Double(bin) + 0.5) / 10
      let mean = errors.reduce(0, +) / Double(errors.count)
      let deviation = (errors.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(errors.count)).squareRoot()
      points.append((Double(logarithm(z)), Double(logarithm(deviation))))
      let expected = disparity * z * z / Self.reach
      #expect(deviation > 0.8 * expected && deviation < 1.25 * expected, "\(z) m: \(deviation), expected \(expected)")
      #expect(abs(mean) < 0.3 * expected, "\(z) m: mean \(mean)")
    }
    try #require(points.count >= 4)
    let meanX = points.reduce(0) { $0 + $1.x } / Double(points.count)
    let meanY = points.reduce(0) { $0 + $1.y } / Double(points.count)
    let slope =
      points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) }
      / points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
    #expect(abs(slope - 2) < 0.1, "standard deviation ∝ z^\(slope)")
  }

  /// Natural logarithm by halving, so that the test needs no C library.
  private func logarithm(_ x: Double) -> Double {
    var (x, k) = (x, 0.0)
    while x > 1.2 { (x, k) = (x.squareRoot(), k == 0 ? 1 : k * 2) }
    while x < 0.8 { (x, k) = (x.squareRoot(), k == 0 ? 1 : k * 2) }
    let t = (x - 1) / (x + 1)
    var (sum, power) = (0.0, t)
    for n in 0..<30 {
      sum += power / Double(2 * n + 1)
      power *= t * t
    }
    return 2 * sum * max(k, 1)
  }

  @Test func measuresInEighthsOfAPixel() throws {
    let frame = try #require(Simulated.full[.talking]).frame(9)
    let depth = try #require(frame.frame.depth).metres
    for z in depth.samples where !z.isNaN {
      let eighths = Self.reach * 8 / Double(z)
      #expect(abs(eighths - eighths.rounded()) < 1e-3)
    }
  }

  @Test func noiseChangesFromFrameToFrame() throws {
    let camera = try #require(Simulated.full[.talking])
    let maps = try (0..<2).map { try #require(camera.frame($0).frame.depth).metres }
    var changed = 0
    var both = 0
    // The wall does not move.
    for (y, x) in product(0..<100, 200..<250) where !maps[0][x, y].isNaN && !maps[1][x, y].isNaN {
      both += 1
      changed += maps[0][x, y] != maps[1][x, y] ? 1 : 0
    }
    #expect(both > 1000 && Double(changed) > 0.2 * Double(both))
  }

  @Test(arguments: [
    (Scenario.talking, 0.02...0.12, 0.08...0.24), (.mug, 0.02...0.12, 0.15...0.38),
    (.outdoor, 0.12...0.35, 0.98...1.0), (.twoPeople, 0.02...0.12, 0.10...0.30),
  ])
  func holesAreAsManyAsDocumented(
    _ name: Scenario, _ person: ClosedRange<Double>, _ background: ClosedRange<Double>
  ) throws {
    let camera = try #require(Simulated.full[name])
    for index in stride(from: 0, to: 300, by: 59) {
      let frame = camera.frame(index)
      let measured = try #require(frame.frame.depth).metres.samples
      var counts = (person: 0, personHoles: 0, background: 0, backgroundHoles: 0)
      for (z, m) in zip(frame.trueDepth.metres.samples, measured) {
        if z < 1.2 {
          counts.person += 1
          counts.personHoles += m.isNaN ? 1 : 0
        } else {
          counts.background += 1
          counts.backgroundHoles += m.isNaN ? 1 : 0
        }
      }
      let ratios = (
        Double(counts.personHoles) / Double(counts.person), Double(counts.backgroundHoles) / Double(counts.background)
      )
      #expect(person.contains(ratios.0) && background.contains(ratios.1), "frame \(index): \(ratios)")
    }
  }

  @Test func theProjectorsShadowLiesToTheLeft() throws {
    let camera = try #require(Simulated.full[.talking])
    var left = (holes: 0, all: 0)
    var right = left
    var beyond = left
    for index in [0, 40, 80] {
      let frame = camera.frame(index)
      let measured = try #require(frame.frame.depth).metres
      let exact = frame.trueDepth.metres
      // Next to the hair, where the wall is behind on both sides.
      for y in 80..<190 {
        let row = (0..<exact.width).filter { exact[$0, y] < 1.2 }
        guard let first = row.first, let last = row.last else { continue }
        // 27 · (1 / 0.72 − 1 / 2.7) is 27 pixels of shadow; flying strands of hair blur its ends.
        for x in first - 20..<first - 4 { left = (left.holes + (measured[x, y].isNaN ? 1 : 0), left.all + 1) }
        for x in first - 46..<first - 34 where exact[x, y] < 4 {
          beyond = (beyond.holes + (measured[x, y].isNaN ? 1 : 0), beyond.all + 1)
        }
        for x in last + 4..<last + 20 { right = (right.holes + (measured[x, y].isNaN ? 1 : 0), right.all + 1) }
      }
    }
    #expect(Double(left.holes) > 0.9 * Double(left.all), "\(left)")
    #expect(Double(right.holes) < 0.02 * Double(right.all), "\(right)")
    #expect(Double(beyond.holes) < 0.05 * Double(beyond.all), "\(beyond)")
  }

  @Test func nothingFartherThanFiveMetresIsMeasured() throws {
    let frame = try #require(Simulated.full[.talking]).frame(0)
    let exact = frame.trueDepth.metres
    let measured = try #require(frame.frame.depth).metres
    #expect(exact.samples.contains { $0 > 10 }, "the window looks out")
    #expect(measured.samples.allSatisfy { !($0 > 5.2) })
    for y in 3..<exact.height - 3 {
      for x in 4..<exact.width - 4
      where (y - 3...y + 3).allSatisfy({ row in (x - 4...x + 4).allSatisfy { exact[$0, row] > 6 } }) {
        #expect(measured[x, y].isNaN)
      }
    }
  }

  @Test func outdoorsThereIsNoDepthBehind() throws {
    let frame = try #require(Simulated.full[.outdoor]).frame(30)
    let exact = frame.trueDepth.metres
    let measured = try #require(frame.frame.depth).metres
    #expect(measured.samples.allSatisfy { !($0 > 1) })
    for y in 0..<exact.height {
      for x in 0..<exact.width where frame.alpha[2 * x, 2 * y] == 0 && frame.alpha[2 * x + 1, 2 * y + 1] == 0 {
        #expect(exact[x, y].isNaN)
      }
    }
  }

  @Test func edgesAreCoarse() throws {
    // Exact outlines are straight from row to row; measured ones jump by pixels.
    let frame = try #require(Simulated.full[.talking]).frame(0)
    func roughness(_ map: Plane<Float>) -> Int {
      let ends = (330..<358).map { y in (320..<map.width).last { map[$0, y] < 1.2 } ?? 0 }
      return zip(ends, ends.dropFirst()).reduce(0) { $0 + abs($1.0 - $1.1) }
    }
    #expect(roughness(try #require(frame.frame.depth).metres) > 2 * roughness(frame.trueDepth.metres))
  }
}
