import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

@Suite struct PhotoDepthTests {
  static func map(_ seed: UInt64, low: Float, high: Float) -> Plane<Float> {
    var random = SeededRandom(seed: seed)
    return Plane<Float>(width: 37, height: 19) { _, _ in
      Int.random(in: 0..<10, using: &random) > 0 ? Float.random(in: low...high, using: &random) : .nan
    }
  }

  /// The line from codes to values, directly from its definition.
  @Test func codesMeanWhatTheRangeSays() throws {
    let properties = DepthProperties(.disparity, .uint8, first: 0.25, last: 1.5, codes: 10...210)
    let depth = try PhotoDepth(samples: MadePhoto.gray(40, 9), properties: properties)
    for (y, x) in product(0..<9, 0..<40) {
      let code = min(max(Double(depth.samples.plane(as: UInt8.self)[x, y]), 10), 210)
      #expect(abs(Double(depth.disparity.perMetre[x, y]) - (0.25 + (code - 10) / 200 * 1.25)) < 1e-6)
    }
  }

  @Test(arguments: 0..<20, [DepthProperties.Sample.uint8, .uint16]) func roundingErrorIsBounded(
    _ seed: UInt64, _ sample: DepthProperties.Sample
  ) throws {
    let low: Float = seed.isMultiple(of: 2) ? 0.3 : -2
    let map = DisparityMap(perMetre: Self.map(seed, low: low, high: 5), accuracy: .relative)
    let stored = PhotoDepth(map, as: sample)
    let extent = try #require(map.extent)
    #expect(stored.properties.first == Double(extent.lowerBound))
    #expect(stored.properties.last == Double(extent.upperBound))
    let bound = (extent.upperBound - extent.lowerBound) / Float(2 * sample.greatestCode) + 1e-6
    for (y, x) in product(0..<map.height, 0..<map.width) {
      let (before, after) = (map.perMetre[x, y], stored.disparity.perMetre[x, y])
      if before.isNaN {
        #expect(after == extent.lowerBound, "a hole is the farthest, seed \(seed)")
      } else {
        #expect(abs(before - after) <= bound, "seed \(seed) at \(x), \(y)")
      }
    }
  }

  @Test(arguments: 0..<10) func depthHolesBecomeTheFarthest(_ seed: UInt64) throws {
    let map = DepthMap(metres: Self.map(seed, low: 0.4, high: 9))
    for sample in [DepthProperties.Sample.uint8, .uint16] {
      let stored = PhotoDepth(map, as: sample)
      let extent = try #require(map.extent)
      let bound = (extent.upperBound - extent.lowerBound) / Float(2 * sample.greatestCode) + 1e-6
      for (y, x) in product(0..<map.height, 0..<map.width) {
        let expected = map.metres[x, y].isNaN ? extent.upperBound : map.metres[x, y]
        #expect(abs(expected - stored.depth.metres[x, y]) <= bound, "seed \(seed)")
      }
      #expect(stored.properties.accuracy == .absolute)
    }
  }

  @Test(arguments: 0..<10) func floatsKeepValuesAndHoles(_ seed: UInt64) throws {
    let map = DisparityMap(perMetre: Self.map(seed, low: 0.1, high: 5), accuracy: .absolute)
    #expect(same(PhotoDepth(map, as: .float32).disparity.perMetre, map.perMetre))
    let half = PhotoDepth(map, as: .float16).disparity.perMetre
    for (y, x) in product(0..<map.height, 0..<map.width) where !map.perMetre[x, y].isNaN {
      // Eleven bits: half a unit in the last place.
      #expect(abs(half[x, y] - map.perMetre[x, y]) <= map.perMetre[x, y] / 2048)
    }
  }

  /// Every half value, and the midpoints between them.
  @Test func halves() {
    for bits in UInt16(0)...0x7BFF {
      let value = Float(Float16(bitPattern: bits))
      #expect(value.roundedToHalf == value)
      #expect((-value).roundedToHalf == -value)
    }
    var random = SeededRandom(seed: 7)
    for _ in 0..<20_000 {
      let value = Float(bitPattern: UInt32.random(in: .min ... .max, using: &random))
      guard value.isFinite else { continue }
      #expect(value.roundedToHalf == Float(Float16(value)), "\(value)")
    }
  }

  @Test func flatAndEmptyMaps() throws {
    let flat = PhotoDepth(
      DisparityMap(perMetre: Plane(repeating: 1.5, width: 3, height: 2), accuracy: .relative))
    #expect(flat.disparity.extent == 1.5...1.5)
    let empty = PhotoDepth(DepthMap(metres: Plane(repeating: .nan, width: 3, height: 2)))
    #expect(empty.samples.plane(as: UInt16.self).samples.allSatisfy { $0 == 0 })
    #expect(empty.depth.isEmpty)
  }

  /// Rotating depth rotates both the map and the camera.
  @Test(arguments: Orientation.allCases) func turning(_ orientation: Orientation) throws {
    let depth = try MadePhoto.depth()
    let turned = depth.oriented(orientation)
    #expect(same(turned.disparity.perMetre, depth.disparity.perMetre.oriented(orientation)))
    let expected = depth.disparity.oriented(orientation).intrinsics
    let found = turned.disparity.intrinsics
    #expect(abs((expected?.cx ?? 0) - (found?.cx ?? 1)) < 1e-9)
    #expect(abs((expected?.fy ?? 0) - (found?.fy ?? 1)) < 1e-9)
    #expect(turned.oriented(orientation.inverse).properties == depth.properties)
    #expect(same(turned.oriented(orientation.inverse).disparity.perMetre, depth.disparity.perMetre))
  }

  @Test func depthOfDisparity() throws {
    let depth = try MadePhoto.depth()
    for x in 0..<depth.width {
      #expect(abs(depth.depth.metres[x, 3] * depth.disparity.perMetre[x, 3] - 1) < 1e-6)
    }
    var properties = DepthProperties(.depth, .uint8, first: 1, last: 5)
    properties.accuracy = .relative
    let other = try PhotoDepth(samples: MadePhoto.gray(9, 9), properties: properties)
    #expect(other.disparity.accuracy == .relative)
    #expect(abs(other.depth.metres[4, 4] * other.disparity.perMetre[4, 4] - 1) < 1e-6)
  }

  @Test func impossibleRanges() {
    for (first, last, codes) in [
      (nil, 1, 0...255), (1, nil, 0...255), (.nan, 1, 0...255), (0, .infinity, 0...255), (0, 1e31, 0...255),
      (0, 1, 3...3), (0, 1, -1...255), (0, 1, 0...65_536),
    ] as [(Double?, Double?, ClosedRange<Int>)] {
      let properties = DepthProperties(.disparity, .uint8, first: first, last: last, codes: codes)
      #expect(refusal { _ = try PhotoDepth(samples: MadePhoto.gray(4, 4), properties: properties) }?.kind == .badData)
    }
  }
}

/// Equal, with holes at the same pixels.
func same(_ a: Plane<Float>, _ b: Plane<Float>) -> Bool {
  a.width == b.width && a.height == b.height
    && zip(a.samples, b.samples).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) }
}
