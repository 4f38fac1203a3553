import BackdropDepth
import BackdropImaging
import CAllocationCounter
import TestSupport
import Testing

/// Filters compared with librealsense's, and their properties.
@Suite struct DepthFilterTests {
  private static let (width, height) = (RealSenseReference.width, RealSenseReference.height)

  private static func map(_ millimetres: [UInt16]) -> DepthMap {
    DepthMap(
      metres: Plane(millimetres.map { Float($0) / 1000 }, width: width, height: height),
      intrinsics: Intrinsics(
        fx: RealSenseReference.focal, fy: RealSenseReference.focal, cx: 10, cy: 6, width: width, height: height))
  }

  /// If both have a value, they differ by less than librealsense's rounding to millimetres. librealsense rounds its means over time down in
  /// each frame; the errors add up to 1 / alpha, and occasionally decide whether it detects a change.
  @Test(arguments: CPULevel.supported, RealSenseReference.results.indices)
  func equalsLibrealsense(_ cpu: CPULevel, _ index: Int) throws {
    let reference = RealSenseReference.results[index]
    let filter = DepthFilter(try DepthFilterChain(parsing: reference.chain), cpu: cpu)
    var made = Self.map(RealSenseReference.frames[0])
    for frame in RealSenseReference.frames { filter.apply(Self.map(frame), into: &made) }
    let isOfWholeMillimetres = reference.chain.hasPrefix("temporal")
    let mayFillMore = reference.chain.contains("fill") || reference.chain.contains("holes")
    let most: Double = !isOfWholeMillimetres ? 1 : reference.chain.contains("alpha=0.1") ? 5 : 2.5
    var (sum, both, beyond) = (0.0, 0, 0)
    for (y, x) in product(0..<made.height, 0..<made.width) {
      let wanted = Double(reference.depth[y * reference.width + x])
      let found = Double(made.metres[x, y]) * 1000
      if wanted == 0 || found.isNaN {
        #expect(
          found.isNaN ? wanted == 0 : mayFillMore, "\(reference.chain): (\(x), \(y)) is \(found), not \(wanted)")
        continue
      }
      both += 1
      if abs(found - wanted) <= most { sum += abs(found - wanted) } else { beyond += 1 }
    }
    #expect(
      beyond * 20 <= (isOfWholeMillimetres ? both : 0), "\(reference.chain): \(beyond) of \(both) beyond \(most) mm")
    #expect(both > 10 && sum / Double(both) < (isOfWholeMillimetres ? 2 : 0.6), "\(reference.chain)")
  }

  @Test(arguments: ["fill", "fill:left", "fill:nearest", "guided", "filtered"])
  func leavesNoHole(_ chain: String) throws {
    let filter = DepthFilter(try DepthFilterChain(parsing: chain))
    for frame in RealSenseReference.frames {
      var map = Self.map(frame)
      filter.apply(&map)
      #expect(map.statistics.holeCount == 0)
    }
  }

  /// Maps of any content: sizes from one pixel to several vectors, only holes, huge and tiny numbers.
  @Test(arguments: CPULevel.supported)
  func anyMap(_ cpu: CPULevel) throws {
    let chains = [
      "decimate:3,threshold:0.2:9,edges,disparity,spatial:holes=5,temporal,depth,fill:nearest", "filtered",
      "librealsense",
      "spatial:magnitude=5,temporal:persistency=8", "decimate:8,steady,guided:0.5",
    ]
    for text in chains {
      let filter = DepthFilter(try DepthFilterChain(parsing: text), cpu: cpu)
      for (width, height) in [(1, 1), (1, 40), (40, 1), (15, 16), (16, 17), (17, 15), (33, 5), (100, 31)] {
        for kind in 0..<4 {
          var random = SeededRandom(seed: UInt64(width * 1000 + height * 10 + kind))
          let values = (0..<width * height).map { _ -> Float in
            switch kind {
            case 0: .nan
            case 1: Float.random(in: 0...1, using: &random) < 0.5 ? .nan : Float.random(in: 0.3...4, using: &random)
            case 2: [Float.greatestFiniteMagnitude, .leastNonzeroMagnitude, 1, .nan].randomElement(using: &random) ?? 1
            default: 1.5
            }
          }
          var map = DepthMap(metres: Plane(values, width: width, height: height))
          let guide = Image(gray: Plane(repeating: UInt8(kind * 50), width: width * 2, height: height * 2))
          filter.reset()
          filter.apply(&map, guide: guide)
          for sample in map.metres.samples {
            #expect(
              sample.isNaN || (sample > 0 && sample < .infinity), "\(text) \(width)×\(height) kind \(kind): \(sample)")
          }
          if kind == 0 { #expect(map.isEmpty, "\(text): holes alone give holes alone") }
          if kind == 3 && (width > 8 && height > 8) {
            #expect(map.metres.samples.allSatisfy { $0.isNaN || abs($0 - 1.5) < 1e-4 }, "\(text): a wall stays")
          }
        }
      }
    }
  }

  /// All levels return the same results, except for rounding of sums.
  @Test(arguments: CPULevel.supported, ["filtered", "librealsense", "decimate:2,spatial,fill:left"])
  func levelsAgree(_ cpu: CPULevel, _ text: String) throws {
    let chain = try DepthFilterChain(parsing: text)
    let (plain, filter) = (DepthFilter(chain, cpu: .baseline), DepthFilter(chain, cpu: cpu))
    for frame in RealSenseReference.frames {
      var (a, b) = (Self.map(frame), Self.map(frame))
      plain.apply(&a)
      filter.apply(&b)
      for (one, other) in zip(a.metres.samples, b.metres.samples) {
        #expect(one == other || abs(one - other) < 1e-4 * one || one.isNaN && other.isNaN)
      }
    }
  }

  /// A hole between a dark and a bright half gets the depth of the half with its colour.
  @Test(arguments: [PixelFormat.bgra8, .rgba8, .rgb8, .i420, .nv12, .yuyv, .gray8])
  func guideDecides(_ format: PixelFormat) throws {
    let (width, height) = (96, 64)
    // The colour's edge is at a third, in the middle of the holes.
    var picture = Image(.gray8, width: 2 * width, height: 2 * height, color: .jpeg)
    for y in 0..<2 * height {
      var row = picture.mutableRow(y)
      for x in row.indices { row[x] = x < 2 * 32 ? 40 : 220 }
    }
    let depth = (0..<width * height).map { index -> Float in
      let x = index % width
      return x < 16 ? 0.8 : x < 48 ? .nan : 2.4
    }
    var map = DepthMap(metres: Plane(depth, width: width, height: height))
    try DepthFilterChain(parsing: "guided").apply(&map, guide: picture.converted(to: format))
    for (y, x) in product(0..<height, 0..<width) where abs(x - 32) > 1 {
      #expect(
        abs(map.metres[x, y] - (x < 32 ? 0.8 : 2.4)) < (x < 32 ? 0.08 : 0.24), "(\(x), \(y)): \(map.metres[x, y])")
    }
  }

  /// Means over time: noise decreases, a change is followed at once, and a change of size restarts the mean.
  @Test func steadyFollowsChanges() throws {
    let filter = DepthFilter(try DepthFilterChain(parsing: "steady:8"))
    var random = SeededRandom(seed: 3)
    var noise = 0.0
    for frame in 0..<24 {
      let level: Float = frame < 16 ? 1 : 2
      let values = (0..<64 * 64).map { _ in level + Float.random(in: -0.004...0.004, using: &random) }
      var map = DepthMap(metres: Plane(values, width: 64, height: 64))
      filter.apply(&map)
      let error = map.metres.samples.map { Double(abs($0 - level)) }.reduce(0, +) / 4096
      if frame == 15 { noise = error }
      if frame == 16 { #expect(error < 0.005) }
    }
    // The mean of 8 frames has 2 mm / √8, an exponential mean a little more.
    #expect(noise < 0.0009)
    var other = DepthMap(metres: Plane(repeating: 3, width: 8, height: 8))
    filter.apply(&other)
    #expect(other.metres.samples.allSatisfy { $0 == 3 })
  }

  /// Near objects lose their untrusted border, and thin ones disappear.
  @Test func edgesAreHoles() throws {
    var plane = Plane<Float>(width: 40, height: 30) { x, y in (10..<20).contains(x) && (10..<20).contains(y) ? 1 : 2 }
    plane[30, 15] = 1.4
    var map = DepthMap(metres: plane)
    try DepthFilterChain(parsing: "edges:2").apply(&map)
    for (y, x) in product(0..<30, 0..<40) {
      let near = max(abs(Double(x) - 14.5), abs(Double(y) - 14.5))
      let isHole = (near > 2.6 && near < 6.6) || max(abs(x - 30), abs(y - 15)) <= 2
      #expect(map.metres[x, y].isNaN == isHole, "(\(x), \(y))")
    }
  }

  @Test(
    .enabled(if: bd_allocation_count() >= 0, "needs glibc"),
    arguments: ["filtered", "librealsense", "decimate:3,threshold,temporal,fill"])
  func allocatesNothingInSteadyState(_ text: String) throws {
    let filter = DepthFilter(try DepthFilterChain(parsing: text))
    let guides = [PixelFormat.bgra8, .i420].map { Image($0, width: 40, height: 24) }
    let map = Self.map(RealSenseReference.frames[0])
    for guide in guides {
      var made = map
      for _ in 0..<3 { filter.apply(map, guide: guide, into: &made) }
      let before = bd_allocation_count()
      for _ in 0..<20 { filter.apply(map, guide: guide, into: &made) }
      #expect(bd_allocation_count() - before == 0, "\(text) with \(guide.format)")
    }
  }

  /// Decimation keeps the camera: cutting off pixels at the right and the bottom does not scale it.
  @Test func decimatedCamera() throws {
    let camera = Intrinsics(fx: 500, fy: 510, cx: 321, cy: 239, width: 641, height: 483)
    var map = DepthMap(metres: Plane(repeating: 1, width: 641, height: 483), intrinsics: camera)
    try DepthFilterChain(parsing: "decimate:4").apply(&map)
    #expect(map.width == 160 && map.height == 120)
    let expected = Intrinsics(fx: 125, fy: 127.5, cx: 80.25, cy: 59.75, width: 160, height: 120)
    #expect(map.intrinsics == expected)
  }

  @Test func bands() throws {
    // A fifth of the pixels at 0.8…1 m, the rest at 2…3 m.
    let depth = (0..<1000).map { (index: Int) -> Float in
      let part = Float(index) / 1000
      return index < 200 ? 0.8 + part : 1.75 + 1.25 * part
    }
    let bands = try #require(DepthMap(metres: Plane(depth, width: 50, height: 20)).bands)
    let gap = try #require(bands.gap)
    #expect(gap.lowerBound > 0.95 && gap.lowerBound < 1.01 && gap.upperBound >= 2 && gap.upperBound < 2.05)
    let cutoff = try #require(bands.cutoffMetres)
    #expect(cutoff > 1.3 && cutoff < 1.36, "2 / (1/1 + 1/2)")
    let slope = (0..<1000).map { (index: Int) -> Float in 1 + Float(index) / 1000 }
    #expect(DepthMap(metres: Plane(slope, width: 50, height: 20)).bands?.gap == nil)
    #expect(DepthMap(metres: Plane(repeating: .nan, width: 5, height: 2)).bands == nil)
  }
}
