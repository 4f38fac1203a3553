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

  /// A file being built.
  struct Made {
    var bytes: [UInt8]
    let isOld: Bool

    init(isOld: Bool = false) {
      self.isOld = isOld
      bytes =
        Array("NI10".utf8) + [1, 0, isOld ? 0 : 1, 0] + Made.number(isOld ? 5 : 0) + Made.number(0, 8) + Made.number(2)
    }

    static func number(_ value: UInt64, _ count: Int = 4) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    mutating func record(_ kind: UInt64, _ node: UInt64, _ fields: [UInt8] = [], data: [UInt8] = []) {
      bytes += Array("NIR".utf8) + [0] + Self.number(kind) + Self.number(node)
      bytes += Self.number(UInt64(fields.count + (isOld ? 24 : 28))) + Self.number(UInt64(data.count))
      bytes += Self.number(0, isOld ? 4 : 8) + fields + data
    }

    static func name(_ text: String) -> [UInt8] { number(UInt64(text.utf8.count + 1)) + Array(text.utf8) + [0] }

    mutating func property(_ node: UInt64, _ name: String, _ value: [UInt8], kind: UInt64 = 6) {
      record(kind, node, Self.name(name) + Self.number(UInt64(value.count)) + value)
    }

    mutating func integer(_ node: UInt64, _ name: String, _ value: UInt64) {
      property(node, name, Self.number(value, 8), kind: 3)
    }

    /// A stream of 30 frames a second, with OpenNI2's number for its format.
    mutating func stream(_ node: UInt64, kind: UInt64, codec: String, format: UInt64?, _ width: Int, _ height: Int) {
      record(
        isOld ? 0x0C : 0x0D, node,
        Self.name(kind == 2 ? "Depth" : "Image") + Self.number(kind) + Array(codec.utf8) + Self.number(3)
          + Self.number(0, 8) + Self.number(99, 8) + Self.number(0, isOld ? 0 : 8))
      property(
        node, "xnMapOutputMode", Self.number(UInt64(width)) + Self.number(UInt64(height)) + Self.number(30))
      if let format { integer(node, "oniPixelFormat", format) }
      record(0x09, node)
    }

    mutating func data(_ node: UInt64, _ microseconds: UInt64, _ data: [UInt8]) {
      record(0x0A, node, Self.number(microseconds, 8) + Self.number(1), data: data)
    }
  }

  func open(_ made: Made, _ options: RecordingOptions = RecordingOptions()) throws -> any SceneSource {
    try Data(made.bytes).write(to: URL(fileURLWithPath: folder.file("a.oni")))
    return try RGBDInput.open(folder.file("a.oni"), options: options)
  }

  /// Numbers in memory order.
  static func plain(_ numbers: [UInt16]) -> [UInt8] { numbers.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } }

  /// The compression of OpenNI2's encoder, step by step.
  static func packed(_ numbers: [UInt16], hasTable: Bool) -> [UInt8] {
    var (numbers, result) = (numbers, [UInt8]())
    if hasTable {
      let table = Set(numbers).sorted()
      result += plain([UInt16(table.count)] + table)
      numbers = numbers.map { number in UInt16(table.firstIndex(of: number) ?? 0) }
    }
    result += plain([numbers[0]])
    var (half, same): (UInt8?, UInt8) = (nil, 0)
    func flush() {
      if same > 0 { result.append(0xE0 + same) }
      same = 0
    }
    for (last, now) in zip(numbers, numbers.dropFirst()) {
      let step = Int(last) - Int(now)
      if abs(step) <= 6 {
        guard let first = half else {
          half = UInt8(step + 6) << 4
          continue
        }
        half = nil
        let both = first + UInt8(step + 6)
        if both == 0x66 {
          same += 1
          if same == 15 { flush() }
        } else {
          flush()
          result.append(both)
        }
      } else {
        flush()
        result.append(half.map { $0 + 0x0F } ?? 0xFF)
        half = nil
        result += abs(step) <= 63 ? [UInt8(step + 192)] : [UInt8(now >> 8), UInt8(now & 255)]
      }
    }
    // Like the encoder: half a byte is written before the pending count.
    if let half { result.append(half + 0x0D) }
    flush()
    return result
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
    let bytes = Self.packed(numbers + [9, 9000, 9], hasTable: hasTable)
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
    var made = Made(isOld: isOld)
    made.stream(1, kind: 2, codec: codec, format: isOld ? nil : 101, 8, 6)
    made.property(1, "xnFOV", Made.number((1.0).bitPattern, 8) + Made.number((0.8).bitPattern, 8))
    made.stream(2, kind: 3, codec: "NONE", format: isOld ? nil : 200, 16, 12)
    let units = (0..<48).map { UInt16($0 < 4 ? 0 : 20_000 + 37 * $0) }
    for frame in 0..<3 {
      let data =
        codec == "NONE" ? Self.plain(units) : Self.packed(units, hasTable: codec == "16zT")
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
      var made = Made()
      made.stream(1, kind: 2, codec: "NONE", format: 100, 8, 6)
      made.stream(2, kind: 3, codec: codec, format: format, 8, 6)
      made.data(1, 0, Self.plain([UInt16](repeating: 500, count: 48)))
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
    var made = Made()
    made.stream(1, kind: 2, codec: "NONE", format: 100, 16, 12)
    made.integer(1, "xnMirror", 1)
    made.property(1, "xnFOV", Made.number((1.0).bitPattern, 8) + Made.number((0.8).bitPattern, 8))
    made.property(1, "xnCropping", Made.number(1) + [4, 0, 2, 0, 8, 0, 6, 0])
    made.stream(2, kind: 3, codec: "NONE", format: 202, 8, 6)
    made.integer(2, "xnMirror", 0)
    made.data(1, 0, Self.plain((0..<48).map { UInt16(1000 + $0) }))
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
    var made = Made()
    made.stream(1, kind: 2, codec: "16zP", format: 100, 8, 6)
    made.stream(2, kind: 3, codec: "NONE", format: 202, 8, 6)
    let depth = Self.packed([UInt16](repeating: 700, count: 48), hasTable: false)
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
    func failure(_ change: (inout Made) -> Void) -> String {
      var made = Made()
      change(&made)
      return recordingFailure { _ = try open(made) }?.message ?? "none"
    }
    func depth(_ made: inout Made, _ format: UInt64 = 100, _ width: Int = 8) {
      made.stream(1, kind: 2, codec: "NONE", format: format, width, 6)
      made.data(1, 0, [1])
    }
    func color(_ made: inout Made) {
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
        $0.property(2, "xnCropping", Made.number(1) + [255, 255, 255, 255, 255, 255, 255, 255])
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

  /// With random damage, reading ends with frames or an error.
  @Test func damage() throws {
    var made = Made()
    made.stream(1, kind: 2, codec: "16zT", format: 100, 8, 6)
    made.stream(2, kind: 3, codec: "JPEG", format: 200, 8, 6)
    let picture = try JPEG.encode(Image(gray: Plane<UInt8>(repeating: 90, width: 8, height: 6)).converted(to: .rgba8))
    let numbers = (0..<48).map { UInt16(500 + $0 * $0) }
    for frame in 0..<3 {
      made.data(1, UInt64(frame) * 33_000, Self.packed(numbers, hasTable: true))
      made.data(2, UInt64(frame) * 33_000, picture)
    }
    made.record(0x0B, 0)
    var random = SeededRandom(seed: 31)
    var (frames, refused) = (0, 0)
    for _ in 0..<800 {
      var damaged = made
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let at = Int.random(in: 0..<damaged.bytes.count, using: &random)
        damaged.bytes[at] =
          [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      if Bool.random(using: &random) {
        damaged.bytes.removeLast(Int.random(in: 0..<damaged.bytes.count - 1, using: &random))
      }
      do {
        var source = try open(damaged)
        while try source.next() != nil { frames += 1 }
      } catch is BackdropError {
        refused += 1
      }
    }
    #expect(frames > 100 && refused > 50, "seed 31: \(frames) \(refused)")
  }
}
