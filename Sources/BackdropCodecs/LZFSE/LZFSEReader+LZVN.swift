extension LZFSEReader {
  /// A `bvxn` block: byte codes, each for some literals, a match, or both.
  mutating func readLZVN() throws(DecompressionFailure) {
    guard left >= 12 else { throw .cutOff }
    let rawCount = Int(word(position + 4))
    let payloadCount = Int(word(position + 8))
    position += 12
    guard payloadCount <= left else { throw .cutOff }
    guard rawCount <= space else { throw .tooLong }
    let (end, wanted) = (position + payloadCount, written + rawCount)
    var distance = 0
    while true {
      guard position < end else { throw .cutOff }
      let code = Int(source[position])
      let step = try LZVNCode(code, distance: distance, self, end: end)
      switch step.kind {
      case .end:
        guard written == wanted, position + 8 == end else {
          throw .init("a block does not have the length it claims")
        }
        position = end
        return
      case .nothing: position += 1
      case .copy:
        position += step.length
        guard step.literals <= end - position else { throw .cutOff }
        guard step.literals + step.match <= wanted - written else { throw .tooLong }
        copyLiterals(from: position, step.literals)
        position += step.literals
        if step.match > 0 {
          distance = step.distance
          try copyMatch(distance: distance, step.match)
        }
      }
    }
  }
}

private struct LZVNCode {
  enum Kind { case copy, nothing, end }
  var kind = Kind.copy
  /// The length of the code itself, in bytes.
  var length = 1
  var literals = 0
  var match = 0
  var distance: Int

  /// Reads the code at the reader's position; `end` is the end of the block's codes.
  @inline(__always)
  init(_ code: Int, distance: Int, _ reader: LZFSEReader, end: Int) throws(DecompressionFailure) {
    self.distance = distance
    let at = reader.position
    switch code {
    case 0xE0:
      guard end - at >= 2 else { throw .cutOff }
      length = 2
      literals = Int(reader.source[at + 1]) + 16
    case 0xE1...0xEF: literals = code & 15
    case 0xF0:
      guard end - at >= 2 else { throw .cutOff }
      length = 2
      match = Int(reader.source[at + 1]) + 16
    case 0xF1...0xFF: match = code & 15
    case 0xA0...0xBF:
      // 101LLMMM DDDDDDMM DDDDDDDD
      guard end - at >= 3 else { throw .cutOff }
      length = 3
      let rest = Int(reader.half(at + 1))
      literals = code >> 3 & 3
      match = (code & 7) << 2 + rest & 3 + 3
      self.distance = rest >> 2
    case 0x70...0x7F, 0xD0...0xDF, 0x1E, 0x26, 0x2E, 0x36, 0x3E: throw .init("a code is undefined")
    case 0x06:
      guard end - at >= 8 else { throw .cutOff }
      kind = .end
    case 0x0E, 0x16: kind = .nothing
    default:
      // LLMMMDDD, followed by the rest of the distance.
      literals = code >> 6
      match = (code >> 3 & 7) + 3
      switch code & 7 {
      case 6: break
      case 7:
        guard end - at >= 3 else { throw .cutOff }
        length = 3
        self.distance = Int(reader.half(at + 1))
      default:
        guard end - at >= 2 else { throw .cutOff }
        length = 2
        self.distance = (code & 7) << 8 | Int(reader.source[at + 1])
      }
    }
  }
}
