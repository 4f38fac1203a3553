import BackdropImaging
import TestSupport
import Testing

@testable import BackdropCameras

/// PipeWire's binary form. The expected bytes were made by `spa_pod_builder_add_object` of libspa 0.3.65.
@Suite struct PodTests {
  private static let format = PodObject(
    PodObject.format, id: 3,
    [
      1: .id(2), 2: .id(1), 0x20001: .choice(.enumeration, [.id(2), .id(2), .id(4)]), 0x20003: .rectangle(1280, 720),
      0x20004: .fraction(30, 1),
    ])
  private static let formatBytes =
    "980000000f000000030004000300000001000000000000000400000003000000020000000000000002000000000000000400000003000000"
    + "010000000000000001000200000000001c0000001300000003000000000000000400000003000000020000000200000004000000000000000300"
    + "020000000000080000000a00000000050000d00200000400020000000000080000000b0000001e00000001000000"
  private static let buffers = PodObject(
    PodObject.buffers, id: 5,
    [
      1: .choice(.range, [.int(8), .int(2), .int(16)]), 2: .int(1), 3: .int(1000), 4: .int(100),
      6: .choice(.flags, [.int(6)]),
    ])
  private static let buffersBytes =
    "a80000000f000000040004000500000001000000000000001c00000013000000010000000000000004000000040000000800000002000000"
    + "100000000000000002000000000000000400000004000000010000000000000003000000000000000400000004000000e8030000000000000400"
    + "0000000000000400000004000000640000000000000006000000000000001400000013000000040000000000000004000000040000000600000000"
    + "000000"

  private static let soundBytes =
    "a00000000f000000030004000300000001000000000000000400000003000000010000000000000002000000000000000400000003000000"
    + "0100000000000000010001000000000004000000030000001b010000000000000300010000000000040000000400000080bb000000000000"
    + "04000100000000000400000004000000010000000000000005000100000000000c0000000d00000004000000030000000200000000000000"

  private func hex(_ object: PodObject) -> String {
    object.words.withUnsafeBytes { bytes in
      bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
  }

  @Test func writesWhatTheLibraryWrites() {
    #expect(hex(Self.format) == Self.formatBytes)
    #expect(hex(Self.buffers) == Self.buffersBytes)
    // By `spa_format_audio_raw_build`.
    #expect(hex(PipeWireSound(rate: 48_000).request) == Self.soundBytes)
  }

  @Test func agreedSound() {
    let asked = PipeWireSound(rate: 44_100).request
    #expect(asked.words.withUnsafeBytes { PodObject($0) } == asked)
    #expect(PipeWireSound(asked) == PipeWireSound(rate: 44_100))
    #expect(PipeWireSound(Self.format) == nil)
    for (key, value) in [
      (0x10001, .id(259)), (0x10003, .int(7999)), (0x10003, .int(96_001)), (0x10004, .int(2)), (2, .id(2)),
    ] as [(UInt32, Pod)] {
      var other = asked
      for index in other.properties.indices where other.properties[index].key == key {
        other.properties[index].value = value
      }
      #expect(PipeWireSound(other) == nil, "\(key): \(value)")
    }
  }

  @Test func readsWhatItWrites() {
    for object in [Self.format, Self.buffers] {
      #expect(object.words.withUnsafeBytes { PodObject($0) } == object)
      #expect(object.words.withUnsafeBytes { $0.baseAddress.flatMap { PodObject(at: $0) } } == object)
    }
  }

  @Test func agreedFormats() throws {
    let read = try #require(PipeWireFormat(Self.format))
    #expect(read == PipeWireFormat(encoding: .i420, width: 1280, height: 720, rate: 30))
    let offers = PipeWireFormat.offers(width: 1280, height: 720, rate: 29.97)
    #expect(offers.map(\.encoding) == [.i420, .yuyv, .nv12, .bgra])
    for offer in offers {
      let again = try #require(PipeWireFormat(offer.offer))
      #expect(again.encoding == offer.encoding && abs(again.rate - 30000.0 / 1001) < 1e-9)
    }
    // Programs lay out rows of this width in different ways.
    #expect(PipeWireFormat.offers(width: 1284, height: 720, rate: 30).map(\.encoding) == [.yuyv, .nv12, .bgra])
    #expect(PipeWireFormat.offers(width: 641, height: 479, rate: 30).map(\.encoding) == [.bgra])
  }

  @Test func modesOfAChoice() {
    let object = PodObject(
      PodObject.format, id: 3,
      [
        1: .id(2), 2: .id(0x20002),
        0x20003: .choice(.enumeration, [.rectangle(640, 480), .rectangle(640, 480), .rectangle(320, 240)]),
        0x20004: .choice(.enumeration, [.fraction(30, 1), .fraction(30, 1), .fraction(15, 1), .fraction(1, 0)]),
      ])
    #expect(
      PipeWireFormat.modes(object) == [
        CameraMode(encoding: .mjpeg, width: 640, height: 480, rates: [30, 15]),
        CameraMode(encoding: .mjpeg, width: 320, height: 240, rates: [30, 15]),
      ])
  }

  @Test(arguments: [(30.0, 30, 1), (29.97, 30000, 1001), (59.94, 60000, 1001), (12.5, 12500, 1000), (1e9, 1000, 1)])
  func rates(rate: Double, upper: Int, lower: Int) {
    #expect(PipeWireFormat.fraction(rate) == .fraction(UInt32(upper), UInt32(lower)))
  }
}
