/// The header of a `bvx1` or `bvx2` block: sizes, initial states of the entropy decoders, and symbol frequencies.
struct LZFSEHeader {
  static let lengthSymbols = 20
  static let distanceSymbols = 64
  static let literalSymbols = 256
  static let lengthStateCount = 64
  static let distanceStateCount = 256
  static let literalStateCount = 1024
  private static let literalLimit = 40_000
  private static let matchLimit = 10_000

  /// The number of decompressed bytes.
  var rawCount: Int
  var literalCount: Int
  var matchCount: Int
  var literalPayload: Int
  var matchPayload: Int
  /// The unused bits of the streams' last bytes, as numbers from -7 to 0.
  var literalBits: Int
  var matchBits: Int
  var literalStates: (Int, Int, Int, Int)
  var lengthState: Int
  var matchState: Int
  var distanceState: Int
  /// Frequencies of literal lengths, match lengths, distances and literals, one after the other.
  var frequencies = [UInt16](repeating: 0, count: 2 * lengthSymbols + distanceSymbols + literalSymbols)
  var byteCount: Int

  init(_ reader: LZFSEReader, isPacked: Bool) throws(DecompressionFailure) {
    let at = reader.position
    func field(_ value: UInt64, _ shift: UInt64, _ bits: UInt64) -> Int { Int(value >> shift & (1 << bits - 1)) }
    if isPacked {
      guard reader.left >= 32 else { throw .cutOff }
      let (a, b, c) = (reader.long(at + 8), reader.long(at + 16), reader.long(at + 24))
      literalCount = field(a, 0, 20)
      literalPayload = field(a, 20, 20)
      matchCount = field(a, 40, 20)
      literalBits = field(a, 60, 3) - 7
      literalStates = (field(b, 0, 10), field(b, 10, 10), field(b, 20, 10), field(b, 30, 10))
      matchPayload = field(b, 40, 20)
      matchBits = field(b, 60, 3) - 7
      byteCount = field(c, 0, 32)
      lengthState = field(c, 32, 10)
      matchState = field(c, 42, 10)
      distanceState = field(c, 52, 10)
      guard byteCount >= 32 && byteCount <= reader.left else { throw .cutOff }
    } else {
      byteCount = 772
      guard reader.left >= byteCount else { throw .cutOff }
      func number(_ offset: Int) -> Int { Int(reader.word(at + offset)) }
      func state(_ offset: Int) -> Int { Int(reader.half(at + offset)) }
      literalCount = number(12)
      matchCount = number(16)
      literalPayload = number(20)
      matchPayload = number(24)
      literalBits = Int(Int32(bitPattern: reader.word(at + 28)))
      literalStates = (state(32), state(34), state(36), state(38))
      matchBits = Int(Int32(bitPattern: reader.word(at + 40)))
      lengthState = state(44)
      matchState = state(46)
      distanceState = state(48)
      for index in frequencies.indices { frequencies[index] = reader.half(at + 50 + 2 * index) }
    }
    rawCount = Int(reader.word(at + 4))
    if isPacked && byteCount > 32 { try unpackFrequencies(reader, from: at + 32, to: at + byteCount) }
    try check()
    let rest = reader.left - byteCount
    guard literalPayload <= rest && matchPayload <= rest - literalPayload else { throw .cutOff }
  }

  private func check() throws(DecompressionFailure) {
    let s = literalStates
    guard literalCount <= Self.literalLimit && matchCount <= Self.matchLimit,
      (-7...0).contains(literalBits) && (-7...0).contains(matchBits), max(s.0, s.1, s.2, s.3) < Self.literalStateCount,
      max(lengthState, matchState) < Self.lengthStateCount && distanceState < Self.distanceStateCount
    else { throw .init("a block header is impossible") }
  }

  /// Frequencies in codes of 2, 3, 5, 8 or 14 bits, lowest bits first.
  private mutating func unpackFrequencies(
    _ reader: LZFSEReader, from start: Int, to end: Int
  ) throws(DecompressionFailure) {
    var (bits, count, next): (UInt64, Int, Int) = (0, 0, start)
    for index in frequencies.indices {
      while next < end && count <= 24 {
        bits |= UInt64(reader.source[next]) << UInt64(count)
        count += 8
        next += 1
      }
      let (value, length): (UInt64, Int) =
        switch bits & 3 {
        case 0: (0, 2)
        case 2: (1, 2)
        case 1: (bits & 4 == 0 ? 2 : 3, 3)
        default:
          switch bits >> 2 & 3 {
          case 0, 2: (4 + bits >> 3 & 3, 5)
          case 1: (8 + bits >> 4 & 15, 8)
          default: (24 + bits >> 4 & 1023, 14)
          }
        }
      guard length <= count else { throw .cutOff }
      frequencies[index] = UInt16(value)
      bits >>= UInt64(length)
      count -= length
    }
    guard count < 8 && next == end else { throw .badTable }
  }
}
