import TestSupport
import Testing

@testable import BackdropImaging

/// Morphology compared with a search of the whole neighbourhood.
@Suite struct MorphologyTests {
  static func oracle<Sample: PixelSample & Comparable>(
    _ plane: Plane<Sample>, _ element: StructuringElement, isMax: Bool, nothing: Sample, counts: (Sample) -> Bool
  ) -> [Sample] {
    func inside(_ dx: Int, _ dy: Int) -> Bool {
      switch element {
      case .square(let radius): max(abs(dx), abs(dy)) <= radius
      case .disc(let radius): Double(dx * dx + dy * dy) <= radius * radius
      }
    }
    var result: [Sample] = []
    for y in 0..<plane.height {
      for x in 0..<plane.width {
        var best: Sample?
        for v in 0..<plane.height {
          for u in 0..<plane.width where inside(u - x, v - y) && counts(plane[u, v]) {
            let value = plane[u, v]
            if let known = best { best = isMax ? max(known, value) : min(known, value) } else { best = value }
          }
        }
        result.append(best ?? nothing)
      }
    }
    return result
  }

  static let elements: [StructuringElement] = [
    .square(radius: 0), .square(radius: 1), .square(radius: 2), .square(radius: 5), .square(radius: 8),
    .square(radius: 40),
    .disc(radius: 0), .disc(radius: 1), .disc(radius: 1.5), .disc(radius: 2), .disc(radius: 3.3), .disc(radius: 5),
    .disc(radius: 9), .disc(radius: 30),
  ]

  @Test(arguments: CPULevel.supported, [true, false])
  func smallSizes(level: CPULevel, isMax: Bool) throws {
    var seed: UInt64 = 0
    for width in 1...17 {
      for height in 1...9 {
        for element in Self.elements {
          seed += 1
          var random = SeededRandom(seed: seed)
          let count = width * height
          let stride = seed % 2 == 0 ? width + 1 : nil
          let bytes = Plane(
            (0..<count).map { _ in UInt8(random.next() & 255) }, width: width, height: height, stride: stride)
          #expect(
            try bytes.extreme(element, isMax: isMax, level: level).samples
              == Self.oracle(bytes, element, isMax: isMax, nothing: 0) { _ in true },
            "UInt8 \(width)×\(height) \(element) \(level) seed \(seed)")

          guard seed % 3 == 0 else { continue }
          let words = Plane(
            (0..<count).map { _ in UInt16(random.next() & 65535) }, width: width, height: height, stride: stride)
          #expect(
            try words.extreme(element, isMax: isMax, level: level).samples
              == Self.oracle(words, element, isMax: isMax, nothing: 0) { _ in true },
            "UInt16 \(width)×\(height) \(element) \(level) seed \(seed)")

          // A third of the samples are holes.
          let floats = Plane(
            (0..<count).map { _ in random.next() % 3 == 0 ? Float.nan : Float.random(in: -9...9, using: &random) },
            width: width, height: height, stride: stride)
          let found = try floats.extreme(element, isMax: isMax, level: level)
          let want = Self.oracle(floats, element, isMax: isMax, nothing: .nan) { !$0.isNaN }
          #expect(
            zip(found.samples, want).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) },
            "Float \(width)×\(height) \(element) \(level) seed \(seed)")
        }
      }
    }
  }

  @Test(arguments: CPULevel.supported)
  func larger(level: CPULevel) throws {
    for (index, (width, height)) in [(131, 40), (64, 70), (200, 23)].enumerated() {
      var random = SeededRandom(seed: UInt64(index))
      let plane = Plane((0..<width * height).map { _ in UInt8(random.next() & 255) }, width: width, height: height)
      for element in [StructuringElement.square(radius: 5), .square(radius: 33), .disc(radius: 7)] {
        #expect(
          try plane.extreme(element, isMax: true, level: level).samples
            == Self.oracle(plane, element, isMax: true, nothing: 0) { _ in true },
          "\(width)×\(height) \(element) \(level)")
      }
    }
  }

  /// Closing fills gaps that the element does not fit into.
  @Test func close() throws {
    var plane = Plane<UInt8>(width: 20, height: 14) { x, y in (4..<12).contains(x) && (3..<10).contains(y) ? 255 : 0 }
    let block = plane.samples
    plane[7, 6] = 0
    #expect(try plane.closed(.disc(radius: 1)).samples == block)
  }

  @Test func nonsenseThrows() {
    let plane = Plane<UInt8>(repeating: 0, width: 2, height: 2)
    #expect(throws: BackdropError.self) { try plane.dilated(.square(radius: -1)) }
    #expect(throws: BackdropError.self) { try plane.dilated(.disc(radius: .nan)) }
    #expect(throws: BackdropError.self) { try plane.eroded(.disc(radius: 1e9)) }
    #expect(throws: BackdropError.self) { try plane.eroded(.square(radius: .max)) }
  }
}
