import BackdropCodecs
import BackdropImaging
import TestSupport
import Testing

@Suite struct EXIFTests {
  /// `file` with an EXIF segment that stores its orientation.
  static func withOrientation(_ value: Int, isLittle: Bool, _ file: [UInt8]) -> [UInt8] {
    func short(_ value: Int) -> [UInt8] {
      let bytes = [UInt8(value >> 8 & 255), UInt8(value & 255)]
      return isLittle ? bytes.reversed() : bytes
    }
    func long(_ value: Int) -> [UInt8] {
      isLittle ? short(value & 0xFFFF) + short(value >> 16) : short(value >> 16) + short(value & 0xFFFF)
    }
    let fields: [[UInt8]] = [
      Array((isLittle ? "II" : "MM").utf8), short(42), long(8), short(2),
      short(271), short(2), long(4), [0x61, 0x62, 0x63, 0],
      short(274), short(3), long(1), short(value), short(0), long(0),
    ]
    let tiff = fields.flatMap { $0 }
    return withSegment(Array("Exif".utf8) + [0, 0] + tiff, file)
  }

  static func withSegment(_ payload: [UInt8], _ file: [UInt8]) -> [UInt8] {
    let length = payload.count + 2
    return Array(file[..<2]) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + payload + file[2...]
  }

  @Test("All eight orientations, in both byte orders", arguments: 1...8, [false, true])
  func orientations(value: Int, isLittle: Bool) throws {
    let plain = try JPEG.encode(smoothImage(12, 8), quality: 100, subsampling: .full)
    let file = Self.withOrientation(value, isLittle: isLittle, plain)
    let image = try JPEG.decode(file)
    #expect(image.orientation.rawValue == value)
    #expect(image.width == 12 && image.height == 8)
    let upright = try Picture.decode(file.span, upright: true)
    #expect(upright.orientation == .up)
    #expect(upright.width == (value >= 5 ? 8 : 12) && upright.height == (value >= 5 ? 12 : 8))
    #expect(upright.packedBytes == image.upright().packedBytes)
  }

  @Test("Values that mean nothing are left aside", arguments: [0, 9, 255, 65535])
  func nonsense(value: Int) throws {
    let file = Self.withOrientation(value, isLittle: true, try JPEG.encode(smoothImage(8, 8)))
    #expect(try JPEG.decode(file).orientation == .up)
  }

  @Test("Damaged EXIF costs neither the picture nor the program")
  func damage() throws {
    let plain = try JPEG.encode(smoothImage(8, 8))
    let good = Self.withOrientation(6, isLittle: false, plain)
    let payload = Array(good[6..<good.count - plain.count + 2])
    for count in 0...payload.count {
      let image = try JPEG.decode(Self.withSegment(Array(payload[..<count]), plain))
      if count == payload.count { #expect(image.orientation == .right) }
    }
    var random = SeededRandom(seed: 21)
    for _ in 0..<2000 {
      #expect(try JPEG.decode(Self.withSegment(random.damaged(payload), plain)).width == 8, "seed 21")
    }
  }
}
