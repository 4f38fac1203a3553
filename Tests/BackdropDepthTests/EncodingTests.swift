import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@Suite struct EncodingTests {
  func bytes(_ words: [UInt16], bigEndian: Bool = false) -> [UInt8] {
    words.flatMap { bigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
  }

  @Test(arguments: [false, true]) func wholeNumbersTimesScale(bigEndian: Bool) throws {
    let raw = bytes([0, 1, 5000, 65534], bigEndian: bigEndian)
    let map = try DepthMap(
      decoding: raw.span, as: DepthEncoding(.uint16, unitsPerMetre: 5000, isBigEndian: bigEndian), width: 2, height: 2)
    #expect(close(map.metres, [.nan, 0.0002, 1, 13.1068]))
    let other = try DepthMap(
      decoding: raw.span, as: DepthEncoding(.uint16, metresPerUnit: 0.001, isBigEndian: bigEndian), width: 4, height: 1)
    #expect(close(other.metres, [.nan, 0.001, 5, 65.534]))
    let units = Plane<UInt16>([0, 1, 5000, 65534], width: 2, height: 2)
    #expect(same(try DepthMap(units: units, unitsPerMetre: 5000).metres, map.metres.samples))
  }

  /// All binary16 values, compared with the conversion of the Swift standard library.
  @Test(arguments: [false, true]) func halves(bigEndian: Bool) throws {
    let all = (0...UInt16.max).map { $0 }
    let expected = all.map { bits -> Float in
      let value = Float(Float16(bitPattern: bits))
      return value > 0 && value < .infinity ? value : .nan
    }
    #expect(same(DepthMap(halves: Plane(all, width: 256, height: 256)).metres, expected))
    let map = try DepthMap(
      decoding: bytes(all, bigEndian: bigEndian).span, as: DepthEncoding(.float16, isBigEndian: bigEndian), width: 256,
      height: 256)
    #expect(same(map.metres, expected))
  }

  @Test(arguments: [false, true]) func floatsWithPaddedRows(bigEndian: Bool) throws {
    let values: [Float] = [1.5, -2, .infinity, 0, .nan, 0.25]
    var raw: [UInt8] = []
    for (index, value) in values.enumerated() {
      let bits = bigEndian ? value.bitPattern.byteSwapped : value.bitPattern
      raw.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt32($0))) })
      if index % 3 == 2 { raw.append(contentsOf: [255, 255, 255]) }
    }
    let encoding = DepthEncoding(.float32, metresPerUnit: 2, isBigEndian: bigEndian)
    let expected: [Float] = [3, .nan, .nan, .nan, .nan, 0.5]
    #expect(same(try encoding.decode(raw.span, width: 3, height: 2, bytesPerRow: 15), expected))
    // The last row's padding may be missing.
    #expect(same(try encoding.decode(raw.span.extracting(0..<27), width: 3, height: 2, bytesPerRow: 15), expected))
  }

  @Test func sizesAndScalesAreChecked() {
    let raw = [UInt8](repeating: 1, count: 24)
    let u16 = DepthEncoding(.uint16, unitsPerMetre: 1000)
    #expect(refusal { try u16.decode(raw.span, width: 4, height: 3) } == nil)
    #expect(refusal { try u16.decode(raw.span, width: 5, height: 3) }?.kind == .badData)
    #expect(refusal { try u16.decode(raw.span, width: 4, height: 2) }?.kind == .badData)
    #expect(refusal { try u16.decode(raw.span, width: 0, height: 3) }?.kind == .badData)
    #expect(refusal { try u16.decode(raw.span, width: .max, height: .max) }?.kind == .overLimit)
    #expect(refusal { try u16.decode(raw.span, width: 4, height: 3, bytesPerRow: 7) }?.kind == .wrongArgument)
    #expect(refusal { try u16.decode(raw.span, width: 4, height: 3, bytesPerRow: .max) }?.kind == .wrongArgument)
    for scale in [0, -1000, .infinity, .nan] as [Double] {
      let encoding = DepthEncoding(.uint16, unitsPerMetre: scale)
      #expect(refusal { try encoding.decode(raw.span, width: 4, height: 3) }?.kind == .wrongArgument, "\(scale)")
      #expect(
        refusal { try DepthMap(units: Plane(repeating: 1, width: 1, height: 1), unitsPerMetre: scale) }?.kind
          == .wrongArgument, "\(scale)")
      #expect(
        refusal { try DepthMap(metres: Plane(repeating: 1, width: 1, height: 1)).units(perMetre: scale) }?.kind
          == .wrongArgument, "\(scale)")
    }
  }

  /// Invalid values are holes by the source's convention, and their kind is known.
  @Test(arguments: [false, true]) func kindsOfHoles(bigEndian: Bool) throws {
    let units = bytes([0, 65535, 65535, 1000], bigEndian: bigEndian)
    let whole = DepthEncoding(.uint16, unitsPerMetre: 1000, isBigEndian: bigEndian)
    let map = try DepthMap(decoding: units.span, as: whole, width: 4, height: 1)
    #expect(map.holes == [.zero: 1, .fullScale: 2] && map.metres[3, 0] == 1)
    let halves = bytes([0, 0x8000, 0x7C00, 0xFC00, 0x7E01, 0xBC00, 0x3C00, 1], bigEndian: bigEndian)
    let small = try DepthMap(
      decoding: halves.span, as: DepthEncoding(.float16, isBigEndian: bigEndian), width: 8, height: 1)
    #expect(small.holes == [.zero: 2, .infinite: 2, .notANumber: 1, .negative: 1])
    let floats = Plane<Float>([0, -0.0, .infinity, -.infinity, .nan, -1, 2, .signalingNaN], width: 8, height: 1)
    let holes: [DepthHole: Int] = [.zero: 2, .infinite: 2, .notANumber: 2, .negative: 1]
    #expect(DepthMap(metres: floats).holes == holes)
    // Rotating the map or cleaning it again keeps the counts.
    #expect(DepthMap(metres: floats).oriented(.right).holes == holes)
    #expect(DepthMap(metres: DepthMap(metres: floats).metres).holes == holes)
  }

  @Test func unitsRoundAndNeverSaturate() throws {
    let map = DepthMap(metres: Plane([1.0004, 1.0006, 0.0004, 0, 65.5344, 65.535, 1e30], width: 7, height: 1))
    #expect(try map.units(perMetre: 1000).samples == [1000, 1001, 0, 0, 65534, 0, 0])
  }

  @Test func unitsComeBack() throws {
    let all = Plane<UInt16>((0...UInt16.max).map { $0 }, width: 256, height: 256)
    // 65535 is a hole, and holes are 0.
    let expected = Plane<UInt16>((0...UInt16.max).map { $0 == .max ? 0 : $0 }, width: 256, height: 256)
    for scale in [1000.0, 5000, 10_000] {
      #expect(try DepthMap(units: all, unitsPerMetre: scale).units(perMetre: scale) == expected)
    }
  }

  @Test(.enabled(if: TestData.isPresent, "needs BACKDROP_DATA")) func realTrueDepthFrame() throws {
    let raw = try InputFile.read(TestData.path("rgbd/truedepth_raw_box/depth01.bin"))
    let map = try DepthMap(decoding: raw.span, as: DepthEncoding(.float16), width: 640, height: 480)
    // NumPy 2: np.fromfile(…, '<f2').astype('f4'): count, min, max of d > 0 & finite, and partition at (n − 1) // 2.
    let statistics = map.statistics
    #expect(statistics.validCount == 275357)
    #expect(statistics.minimum == 0.2384033203125 && statistics.maximum == 3.828125)
    #expect(statistics.median == 1.80859375)
  }
}

@Suite struct RangeColorsTests {
  @Test func nearIsRedAndFarIsBlue() {
    // Five steps of the spectrum, a hole, and a value beyond each end.
    let map = DepthMap(metres: Plane([1, 1.5, 2, 2.5, 3, 0, 0.5, 9], width: 8, height: 1))
    let expected: [[UInt8]] = [
      [255, 0, 0], [255, 255, 0], [0, 255, 0], [0, 255, 255], [0, 0, 255], [0, 0, 0], [255, 0, 0], [0, 0, 255],
    ]
    #expect(map.colorized(near: 1, far: 3).packedBytes == expected.flatMap { $0 + [255] })
    let disparity = DisparityMap(
      perMetre: Plane([3, 2.5, 2, 1.5, 1, 0, 4, 0.1], width: 8, height: 1), accuracy: .absolute)
    #expect(disparity.colorized(near: 3, far: 1).packedBytes == expected.flatMap { $0 + [255] })
  }

  @Test func automaticRangeIgnoresOutliers() {
    // 0…100 in order: the 2nd percentile is 2 + 1 and the 98th 98 + 1, as rank p of 101 values.
    var samples = (0...100).map { Float($0) + 1 }
    samples[100] = 5000
    let image = DepthMap(metres: Plane(samples, width: 101, height: 1)).colorized()
    let same = DepthMap(metres: Plane(samples, width: 101, height: 1)).colorized(near: 3, far: 99)
    #expect(image.packedBytes == same.packedBytes)
    #expect(image.format == .rgba8 && image.width == 101 && image.height == 1)
  }

  @Test func equalOrExtremeEndsDoNotTrap() {
    let map = DepthMap(metres: Plane([1, 2, 3, .greatestFiniteMagnitude], width: 4, height: 1))
    #expect(map.colorized(near: 2, far: 2).packedBytes.prefix(3) == [255, 0, 0])
    #expect(map.colorized(near: 2, far: 2).packedBytes.suffix(4) == [0, 0, 255, 255])
    for end in [0, -1, .infinity, -.infinity, .nan, .greatestFiniteMagnitude] as [Float] {
      #expect(map.colorized(near: end, far: 2).width == 4)
      #expect(map.colorized(near: 1, far: end).width == 4)
    }
  }
}
