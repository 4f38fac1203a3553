import BackdropImaging

/// Reads bits of a NAL unit of HEVC (Rec. ITU-T H.265, 7.2 and 9.2), without its emulation prevention bytes.
struct BitReader {
  private let bytes: [UInt8]
  private var position = 0

  /// - Parameter unit: the NAL unit, including its header, which is skipped.
  init(unit: some Collection<UInt8>) {
    var bytes: [UInt8] = []
    var zeros = 0
    for byte in unit.dropFirst(2) {
      // 7.3.1.1: a 3 after two zeros only prevents a false start code.
      if zeros >= 2 && byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    self.bytes = bytes
  }

  /// A number of 0…32 bits.
  mutating func bits(_ count: Int) throws(BackdropError) -> Int {
    guard position + count <= 8 * bytes.count else {
      throw BackdropError(.badData, "the picture's HEVC parameters end too early")
    }
    var value = 0
    for _ in 0..<count {
      value = value << 1 | Int(bytes[position >> 3] >> UInt8(7 - position & 7)) & 1
      position += 1
    }
    return value
  }

  mutating func flag() throws(BackdropError) -> Bool { try bits(1) == 1 }

  mutating func skip(_ count: Int) throws(BackdropError) {
    for start in stride(from: 0, to: count, by: 32) { _ = try bits(min(32, count - start)) }
  }

  /// An unsigned number in Exponential-Golomb code (9.2).
  mutating func golomb() throws(BackdropError) -> Int {
    var zeros = 0
    while try !flag() {
      zeros += 1
      guard zeros <= 32 else { throw BackdropError(.badData, "the picture's HEVC parameters hold an invalid number") }
    }
    return (1 << zeros) - 1 + (try bits(zeros))
  }
}
