extension PNG {
  /// Whether a file has several pictures (PNG specification, third edition, section 11.3.6.1). `nil` if its first bytes do not decide it.
  package static func isAnimated(_ bytes: Span<UInt8>) -> Bool? {
    func number(_ at: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(bytes[at + $1]) } }
    func says(_ type: String, at position: Int) -> Bool {
      type.utf8.enumerated().allSatisfy { bytes[position + $0.offset] == $0.element }
    }
    var position = 8
    // Length, type, payload, checksum; acTL comes before the pixels.
    while position + 12 <= bytes.count {
      if says("acTL", at: position + 4) { return number(position + 8) > 1 }
      if says("IDAT", at: position + 4) { return false }
      position += 12 + number(position)
    }
    return nil
  }
}
