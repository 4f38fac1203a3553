import BackdropImaging
import Libc

/// The range in a HEIC file's depth picture itself: the depth representation information SEI message (Rec. ITU-T H.265,
/// G.14.2.3 and G.14.3.3), after the URN in "auxC" (ISO/IEC 23008-12, annex B).
struct DepthRepresentation: Sendable, Equatable {
  /// Metres of the nearest and farthest sample.
  var near: Double?
  var far: Double?
  /// 1/metre of the smallest and largest disparity.
  var least: Double?
  var greatest: Double?
  /// 0 inverse depth, 1 disparity, 2 depth, 3 not uniform.
  var type: Int

  private static let prefixMessage = 39
  private static let message = 177

  init(near: Double? = nil, far: Double? = nil, least: Double? = nil, greatest: Double? = nil, type: Int) {
    (self.near, self.far, self.least, self.greatest, self.type) = (near, far, least, greatest, type)
  }

  /// - Returns: `nil` if the bytes after the URN contain no such message.
  /// - Throws: `badData` for a damaged message.
  init?(_ subtype: [UInt8]) throws(BackdropError) {
    guard subtype.count > 8 else { return nil }
    var reader = ByteReader(subtype)
    try reader.skip(4)
    let unit = try reader.data(try reader.uint32())
    guard let first = unit.first, NALUnit.type(first) == Self.prefixMessage else { return nil }
    var bits = BitReader(unit: unit)
    guard try bits.bits(8) == Self.message else { return nil }
    _ = try bits.bits(8)
    let present = (try bits.flag(), try bits.flag(), try bits.flag(), try bits.flag())
    type = try bits.golomb()
    if present.2 || present.3 { _ = try bits.golomb() }
    near = present.0 ? try Self.number(&bits) : nil
    far = present.1 ? try Self.number(&bits) : nil
    least = present.2 ? try Self.number(&bits) : nil
    greatest = present.3 ? try Self.number(&bits) : nil
  }

  /// A number in the form of G.14.2.3.1.
  private static func number(_ bits: inout BitReader) throws(BackdropError) -> Double {
    let isNegative = try bits.flag()
    let exponent = try bits.bits(7)
    let length = try bits.bits(5) + 1
    let mantissa = Double(try bits.bits(length))
    guard exponent < 127 else { throw BackdropError(.badData, "the range of the depth is not finite") }
    let size = exponent > 0 ? scalbn(1 + scalbn(mantissa, -length), exponent - 31) : scalbn(mantissa, -(30 + length))
    return isNegative ? -size : size
  }

  /// The bytes after the URN: the total length, then the message in a NAL unit after its length.
  var subtype: [UInt8] {
    var bits = BitWriter()
    for value in [near, far, least, greatest] { bits.append(value == nil ? 0 : 1, count: 1) }
    bits.appendGolomb(type)
    if least != nil || greatest != nil { bits.appendGolomb(0) }
    for value in [near, far, least, greatest] {
      guard let value else { continue }
      // The limits are far outside the range of real depths, and make the exponent fit.
      let size = Swift.min(Swift.max(abs(value), 0x1p-30), 0x1p60)
      let exponent = value == 0 ? 0 : Int(size.exponent)
      // Keep the precision of a Float in as few bits as possible: zero bytes would require emulation prevention, which
      // some readers do not support.
      var mantissa = value == 0 ? 0 : Int(Swift.min(((size / scalbn(1, exponent) - 1) * 0x1p23).rounded(), 0x1p23 - 1))
      var length = 23
      while length > 1 && mantissa & 1 == 0 {
        mantissa >>= 1
        length -= 1
      }
      bits.append(value < 0 ? 1 : 0, count: 1)
      bits.append(value == 0 ? 0 : exponent + 31, count: 7)
      bits.append(length - 1, count: 5)
      bits.append(mantissa, count: length)
    }
    let payload = bits.bytes
    var unit: [UInt8] = [0x4E, 0x01]
    var zeros = 0
    for byte in [UInt8(Self.message), UInt8(payload.count)] + payload + [0x80] {
      // 7.3.1.1: prevent false start codes.
      if zeros >= 2 && byte <= 3 {
        unit.append(3)
        zeros = 0
      }
      unit.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
    var writer = ByteWriter()
    writer.uint32(unit.count + 4)
    writer.uint32(unit.count)
    writer.data(unit)
    return writer.bytes
  }
}

/// Writes bits, the highest first.
private struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var free = 0

  mutating func append(_ value: Int, count: Int) {
    for shift in stride(from: count - 1, through: 0, by: -1) {
      if free == 0 {
        bytes.append(0)
        free = 8
      }
      free -= 1
      bytes[bytes.count - 1] |= UInt8(value >> shift & 1) << UInt8(free)
    }
  }

  mutating func appendGolomb(_ value: Int) {
    let length = Int.bitWidth - (value + 1).leadingZeroBitCount
    append(0, count: length - 1)
    append(value + 1, count: length)
  }
}
