import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropRecordings

/// `.oni` recordings, generated from the layout in OpenNI2's OniDataRecords.cpp, and by its own recorder.
@Suite struct OniRecordingTests {
  let folder = TemporaryFolder()

  func open(_ made: MadeOni, _ options: RecordingOptions = RecordingOptions()) throws -> any SceneSource {
    try folder.write(made.bytes, "a.oni")
    return try RGBDInput.open(folder.file("a.oni"), options: options)
  }

  @Test(arguments: [false, true], 0..<12) func packedDepth(hasTable: Bool, seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var (numbers, last) = ([UInt16](), 1000)
    for _ in 0..<Int.random(in: 1...3000, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: last = Int.random(in: 0...(hasTable ? 65_535 : 32_767), using: &random)
      case 1: last += Int.random(in: -63...63, using: &random)
      case 2, 3: last += Int.random(in: -6...6, using: &random)
      default: break
      }
      last = min(max(last, 0), 32_767)
      numbers.append(UInt16(last))
    }
    // The encoder writes a last half byte before the zeros that precede it, so its own decoder reads them in a different order. The test
    // uses only cases without a difference.
    let bytes = MadeOni.packed(numbers + [9, 9000, 9], hasTable: hasTable)
    let found = try OniDepthCodec.decode(bytes, count: numbers.count + 3, hasTable: hasTable)
    #expect(found == numbers + [9, 9000, 9], "seed \(seed)")
  }

  /// Bytes derived by hand from the encoder's source.
  @Test func packedBytes() throws {
    let bytes: [UInt8] = [0xE8, 3, 0x57, 0x6F, 0xC6, 0xE2, 0xFF, 0x12, 0x34, 0x6D]
    // 1000; +1, −1; 0, −6; twice two of the same; 0x1234; the same.
    let expected: [UInt16] = [1000, 1001, 1000, 1000, 994, 994, 994, 994, 994, 0x1234, 0x1234]
    #expect(try OniDepthCodec.decode(bytes, count: 11, hasTable: false) == expected)
    for count in [0, 1, 10, 12, 1_000_000] {
      #expect(throws: BackdropError.self) { try OniDepthCodec.decode(bytes, count: count, hasTable: false) }
    }
    for length in 0..<bytes.count {
      let cut = Array(bytes[..<length])
      #expect(throws: BackdropError.self) { try OniDepthCodec.decode(cut, count: 11, hasTable: false) }
    }
  }

  @Test(arguments: ["NONE", "16zP", "16zT"], [false, true]) func depthIsExact(codec: String, isOld: Bool) throws {
    var made = MadeOni(isOld: isOld)
    made.stream(1, kind: 2, codec: codec, format: isOld ? nil : 101, 8, 6)
    made.property(1, "xnFOV", MadeOni.number((1.0).bitPattern, 8) + MadeOni.number((0.8).bitPattern, 8))
    made.stream(2, kind: 3, codec: "NONE", format: isOld ? nil : 200, 16, 12)
    let units = (0..<48).map { UInt16($0 < 4 ? 0 : 20_000 + 37 * $0) }
    for frame in 0..<3 {
      let data =
        codec == "NONE" ? MadeOni.plain(units) : MadeOni.packed(units, hasTable: codec == "16zT")
      made.data(1, UInt64(frame) * 33_333, data)
      let colors: [UInt8] = (0..<16 * 12).flatMap { [UInt8($0), 7, UInt8(frame)] }
      made.data(2, UInt64(frame) * 33_333 + 4000, colors)
    }
    made.record(0x0B, 0)
    // The data that the recorder leaves after the end.
    made.bytes += [UInt8](repeating: 0, count: 99)
    var source = try open(made)
    #expect(source.width == 16 && source.height == 12 && source.frameCount == 3 && source.framesPerSecond == 30)
    let scale = isOld ? 1000.0 : 10_000
    #expect(source.info.storedUnitsPerMetre == scale && source.warnings.isEmpty)
    for frame in 0..<3 {
      let found = try #require(try source.next())
      #expect(abs(found.time - Double(frame) / 30) < 1e-5)
      let map = try #require(found.depth)
      for index in 0..<48 {
        // Up to 21 m, where a Float has steps of 2 µm.
        let value = map.metres[index % 8, index / 8]
        #expect(index < 4 ? value.isNaN : abs(Double(value) - Double(units[index]) / scale) < 5e-6)
      }
      // Half the width divided by the tangent of half the angle.
      let camera = try #require(map.intrinsics)
      #expect(abs(camera.fx - 4 / 0.5463024898) < 1e-6 && abs(camera.fy - 3 / 0.4227932187) < 1e-6)
      #expect(camera.cx == 4 && camera.cy == 3 && camera.width == 8)
      let row = found.image.row(11)
      #expect(row[4 * 15] == 191 && row[4 * 15 + 1] == 7 && row[4 * 15 + 2] == frame)
    }
    #expect(try source.next() == nil)
    #expect(source.skipped.isEmpty)
  }

  @Test func coloursOfAllKinds() throws {
    let picture = Image(gray: Plane<UInt8>(repeating: 90, width: 8, height: 6))
    let jpeg = try JPEG.encode(picture.converted(to: .rgba8))
    let kinds: [(String, UInt64, [UInt8])] = [
      ("NONE", 200, [UInt8](repeating: 90, count: 144)), ("JPEG", 200, jpeg), ("NONE", 204, jpeg),
      ("NONE", 202, [UInt8](repeating: 90, count: 48)),
      ("NONE", 201, (0..<48).flatMap { _ in [128, 90] as [UInt8] }),
      ("NONE", 205, (0..<48).flatMap { _ in [90, 128] as [UInt8] }),
      ("\0\0\0\0", 200, [UInt8](repeating: 90, count: 144)),
    ]
    for (codec, format, data) in kinds {
      var made = MadeOni()
      made.stream(1, kind: 2, codec: "NONE", format: 100, 8, 6)
      made.stream(2, kind: 3, codec: codec, format: format, 8, 6)
      made.data(1, 0, MadeOni.plain([UInt16](repeating: 500, count: 48)))
      made.data(2, 0, data)
      var source = try open(made)
      let frame = try #require(try source.next(), "\(codec) \(format): \(source.skipped)")
      let row = frame.image.row(3)
      for c in 0..<3 { #expect(abs(Int(row[4 * 5 + c]) - 90) <= 1, "\(codec) \(format)") }
      #expect(frame.depth?.metres[2, 2] == 0.5)
    }
  }

  /// Reading mirrors pictures back, and keeps the position of cropped ones.
  @Test func mirroredAndCropped() throws {
    var made = MadeOni()
    made.stream(1, kind: 2, codec: "NONE", format: 100, 16, 12)
    made.integer(1, "xnMirror", 1)
    made.property(1, "xnFOV", MadeOni.number((1.0).bitPattern, 8) + MadeOni.number((0.8).bitPattern, 8))
    made.property(1, "xnCropping", MadeOni.number(1) + [4, 0, 2, 0, 8, 0, 6, 0])
    made.stream(2, kind: 3, codec: "NONE", format: 202, 8, 6)
    made.integer(2, "xnMirror", 0)
    made.data(1, 0, MadeOni.plain((0..<48).map { UInt16(1000 + $0) }))
    made.data(2, 0, (0..<48).map { UInt8($0) })
    let frame = try #require(
      try {
        var source = try open(made); return try source.next()
      }())
    let map = try #require(frame.depth)
    #expect(abs(map.metres[0, 0] - 1.007) < 1e-6 && abs(map.metres[7, 1] - 1.008) < 1e-6)
    #expect(frame.image.row(1)[4 * 2] == 10)
    // The middle of 16 columns is 4 columns from the crop's left edge and from its right edge.
    #expect(map.intrinsics?.cx == 4 && map.intrinsics?.cy == 4)
    #expect(abs((map.intrinsics?.fx ?? 0) - 8 / 0.5463024898) < 1e-6)
  }

  /// The reader reports frames without a partner or with wrong lengths, and files that end early, and reads the rest.
  @Test func damagedFrames() throws {
    var made = MadeOni()
    made.stream(1, kind: 2, codec: "16zP", format: 100, 8, 6)
    made.stream(2, kind: 3, codec: "NONE", format: 202, 8, 6)
    let depth = MadeOni.packed([UInt16](repeating: 700, count: 48), hasTable: false)
    for (index, time) in [0, 33_000, 66_000, 99_000, 132_000].enumerated() {
      if index != 1 { made.data(1, UInt64(time), index == 2 ? Array(depth.dropLast()) : depth) }
      made.data(2, UInt64(time), [UInt8](repeating: 1, count: index == 3 ? 47 : 48))
    }
    let whole = made.bytes.count
    made.data(2, 165_000, [1, 2, 3])
    made.bytes.removeLast()
    var source = try open(made)
    var times: [Double] = []
    while let frame = try source.next() { times.append((frame.time * 1000).rounded()) }
    #expect(times == [0, 132])
    #expect(source.skipped.first.map(\.number) == [2, 3, 4])
    #expect(source.warnings.first?.message.contains("the file is cut off") == true)
    made.bytes.removeSubrange(whole...)
    made.bytes += [UInt8](repeating: 5, count: 40)
    #expect(try open(made).warnings.first?.message.contains("the file is damaged") == true)
  }

  @Test func nonsense() throws {
    func failure(_ change: (inout MadeOni) -> Void) -> String {
      var made = MadeOni()
      change(&made)
      return refusal { try open(made) }?.message ?? "none"
    }
    func depth(_ made: inout MadeOni, _ format: UInt64 = 100, _ width: Int = 8) {
      made.stream(1, kind: 2, codec: "NONE", format: format, width, 6)
      made.data(1, 0, [1])
    }
    func color(_ made: inout MadeOni) {
      made.stream(2, kind: 3, codec: "NONE", format: 202, 8, 6)
      made.data(2, 0, [1])
    }
    #expect(failure { $0.bytes = Array("NI10 and nothing".utf8) }.contains("not an OpenNI recording"))
    #expect(failure { $0.bytes[4] = 2 }.contains("version 2.0.1.0"))
    #expect(failure { depth(&$0) }.contains("the recording has no colour"))
    #expect(failure { color(&$0) }.contains("the recording has no depth"))
    #expect(
      failure {
        depth(&$0, 102)
        color(&$0)
      }.contains("format 102"))
    #expect(
      failure {
        depth(&$0, 100, 0)
        color(&$0)
      }.contains("0×6"))
    #expect(
      failure {
        depth(&$0, 100, 1 << 30)
        color(&$0)
      }.contains("1073741824"))
    #expect(
      failure {
        depth(&$0, 100, 2)
        color(&$0)
      }.contains("different aspect ratios"))
    #expect(
      failure {
        depth(&$0)
        $0.stream(2, kind: 3, codec: "NONE", format: 202, 8, 6)
      }.contains("the recording's colour has no frames"))
    #expect(
      failure {
        depth(&$0)
        $0.stream(2, kind: 3, codec: "NONE", format: 202, 8, 6)
        $0.property(2, "xnCropping", MadeOni.number(1) + [255, 255, 255, 255, 255, 255, 255, 255])
        $0.data(2, 0, [1])
      }.contains("65535×65535 at (65535, 65535)"))
    #expect(
      failure {
        depth(&$0)
        $0.stream(2, kind: 3, codec: "Im8z", format: 202, 8, 6)
        $0.data(2, 0, [1])
      }.contains("colour compressed as 'Im8z'"))
    // All frames have wrong lengths.
    #expect(
      failure {
        depth(&$0)
        color(&$0)
      } != "none")
  }
}
