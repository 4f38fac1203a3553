import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropDepth
@testable import BackdropMatting

@Suite struct HoleTests {
  /// A person of an ellipse that reaches the lower rim, as a small network sees it.
  static func person(_ change: (inout Plane<UInt16>) -> Void = { _ in }) -> Matte {
    var plane = Plane<UInt16>(repeating: 0, width: 256, height: 144)
    disc(&plane, x: 128, y: 110, radius: 60, 1)
    change(&plane)
    return Matte(q15: plane)
  }

  static func same(_ a: Matte, _ b: Matte) -> Bool {
    a.width == b.width && a.height == b.height
      && (0..<a.height).allSatisfy { y in (0..<a.width).allSatisfy { a.q15[$0, y] == b.q15[$0, y] } }
  }

  static func disc(_ plane: inout Plane<UInt16>, x: Int, y: Int, radius: Int, _ opacity: Double) {
    for v in max(0, y - radius)..<min(plane.height, y + radius + 1) {
      for u in max(0, x - radius)..<min(plane.width, x + radius + 1)
      where (u - x) * (u - x) + (v - y) * (v - y) <= radius * radius {
        plane[u, v] = UInt16(opacity * 32768)
      }
    }
  }

  /// An earring, a lens of glasses, a badge: wherever they are, their rims soft or not.
  @Test(arguments: [(118, 90, 2), (140, 100, 4), (120, 130, 6)], [0.15, 0.4, 0.8])
  func closesWhatIsUnsure(_ hole: (x: Int, y: Int, radius: Int), opacity: Double) {
    var matte = Self.person {
      Self.disc(&$0, x: hole.x, y: hole.y, radius: hole.radius + 1, (opacity + 1) / 2)
      Self.disc(&$0, x: hole.x, y: hole.y, radius: hole.radius, opacity)
    }
    let whole = Self.person()
    #expect(HoleFiller().fill(&matte) > 0)
    for y in 0..<matte.height {
      for x in 0..<matte.width {
        let distance = (x - hole.x) * (x - hole.x) + (y - hole.y) * (y - hole.y)
        if distance > (hole.radius + 1) * (hole.radius + 1) {
          #expect(matte.q15[x, y] == whole.q15[x, y])
        } else {
          #expect(matte.q15[x, y] >= HoleFiller.opaque)
        }
      }
    }
  }

  @Test func leavesWhatIsSurelyBackground() {
    // A gap under an arm: small, but its middle is background for sure.
    var gap = Self.person {
      Self.disc(&$0, x: 140, y: 100, radius: 5, 0.5)
      Self.disc(&$0, x: 140, y: 100, radius: 3, 0.02)
    }
    let before = gap
    #expect(HoleFiller().fill(&gap) == 0)
    #expect(Self.same(gap, before))
  }

  /// A gap that is narrower than a network can be sure of, upright, level and aslant.
  @Test(arguments: [(0, 1), (1, 0), (1, 1)]) func leavesNarrowGaps(_ way: (x: Int, y: Int)) {
    var gap = Self.person { plane in
      for i in -9...9 {
        plane[128 + i * way.x, 110 + i * way.y] = 8000
        plane[129 + i * way.x, 110 + i * way.y] = 20000
        plane[128 + i * way.x, 111 + i * way.y] = 20000
      }
    }
    let before = gap
    #expect(HoleFiller().fill(&gap) == 0)
    #expect(Self.same(gap, before))
    // Where a person is likelier it is none.
    var crease = Self.person { plane in for i in -9...9 { plane[128 + i * way.x, 110 + i * way.y] = 18000 } }
    #expect(HoleFiller().fill(&crease) > 0)
  }

  @Test func leavesWhatIsLarge() {
    var arch = Self.person { Self.disc(&$0, x: 128, y: 100, radius: 14, 0.3) }
    let before = arch
    #expect(HoleFiller().fill(&arch) == 0)
    #expect(Self.same(arch, before))
  }

  /// Soft edges, bays that are open to the outside, and thin structures outside.
  @Test func leavesWhatIsOpen() {
    var matte = Self.person { plane in
      for y in 45..<80 { for x in 127...129 { plane[x, y] = 9000 } }
      for y in 20..<52 { plane[128 + (52 - y) / 2, y] = 12000 }
      for y in 60..<70 { plane[255, y] = 20000 }
    }
    let before = matte
    #expect(HoleFiller().fill(&matte) == 0)
    #expect(Self.same(matte, before))
  }

  /// The same by a flood from the rim, sample by sample.
  @Test(arguments: 0..<20) func agreesWithAFlood(_ seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let (width, height) = (Int.random(in: 1...40, using: &random), Int.random(in: 1...40, using: &random))
    var plane = Plane<UInt16>(repeating: 32768, width: width, height: height)
    for y in 0..<height {
      for x in 0..<width where Double.random(in: 0...1, using: &random) < 0.3 {
        plane[x, y] = .random(in: 2000...32768, using: &random)
      }
    }
    var matte = Matte(q15: plane)
    HoleFiller().fill(&matte)
    #expect(Self.same(matte, Matte(q15: Self.flooded(plane))), "seed \(seed)")
  }

  private static func flooded(_ plane: Plane<UInt16>) -> Plane<UInt16> {
    let (width, height) = (plane.width, plane.height)
    let all = (0..<height).flatMap { y in (0..<width).map { (x: $0, y: y) } }
    let opaque = all.filter { plane[$0.x, $0.y] >= HoleFiller.opaque }.count
    var result = plane
    var seen = Set<Int>()
    for start in all where plane[start.x, start.y] < HoleFiller.opaque && !seen.contains(start.y * width + start.x) {
      var region = [start]
      seen.insert(start.y * width + start.x)
      var next = 0
      while next < region.count {
        let at = region[next]
        next += 1
        // Corners join: an opaque thread of diagonal samples encloses nothing.
        for v in max(0, at.y - 1)...min(height - 1, at.y + 1) {
          for u in max(0, at.x - 1)...min(width - 1, at.x + 1)
          where plane[u, v] < HoleFiller.opaque && seen.insert(v * width + u).inserted {
            region.append((u, v))
          }
        }
      }
      let isOpen = region.contains { $0.x == 0 || $0.y == 0 || $0.x == width - 1 || $0.y == height - 1 }
      let least = region.map { plane[$0.x, $0.y] }.min() ?? 0
      let (across, down) = (region.map(\.x).sorted(), region.map(\.y).sorted())
      let length = max(across.last! - across[0], down.last! - down[0]) + 1
      let isNarrow = Double(length) > 3 * Double(region.count) / Double(length)
      guard !isOpen, least >= (isNarrow ? HoleFiller.likely : HoleFiller.sure),
        region.count <= Int(HoleFiller.largestShare * Double(opaque))
      else {
        continue
      }
      for at in region { result[at.x, at.y] = Matte.one }
    }
    return result
  }
}
