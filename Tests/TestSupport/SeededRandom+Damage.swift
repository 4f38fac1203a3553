extension SeededRandom {
  /// A file with one to four places changed: bytes changed, removed or doubled, numbers at their limits, pieces of another file of its kind,
  /// or tokens of text formats. Something is left of it.
  public mutating func damaged(_ bytes: [UInt8], with other: [UInt8] = []) -> [UInt8] {
    var result = bytes
    for _ in 0..<Int.random(in: 1...4, using: &self) where result.count > 1 {
      // Damage in headers has the largest effect.
      let reach = Bool.random(using: &self) ? min(result.count, 2000) : result.count
      let at = Int.random(in: 0..<reach, using: &self)
      let end = min(result.count, at + Int.random(in: 1...40, using: &self))
      switch Int.random(in: 0..<10, using: &self) {
      case 0: result[at] ^= 1 << UInt8.random(in: 0..<8, using: &self)
      case 1: result[at] = UInt8.random(in: 0...255, using: &self)
      // Small numbers, like versions, counts and indices.
      case 2: result[at] = UInt8.random(in: 0...4, using: &self)
      case 3: result.removeSubrange(max(at, 1)..<max(end, 1))
      case 4: result.insert(contentsOf: result[at..<end], at: at)
      case 5: result.removeSubrange(max(at, 1)...)
      case 6: result.swapAt(at, end - 1)
      case 7:
        let limits = [0, 1, 7, 8, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
        let number = MadeArchive.word(limits.randomElement(using: &self) ?? 0, 4)
        let isBig = Bool.random(using: &self)
        for (offset, byte) in (isBig ? number.reversed() : number).enumerated() where at + offset < result.count {
          result[at + offset] = byte
        }
      case 8 where !other.isEmpty:
        let from = Int.random(in: 0..<other.count, using: &self)
        let piece = other[from...].prefix(Int.random(in: 1...64, using: &self))
        result.replaceSubrange(at..<min(at + piece.count, result.count), with: piece)
      default:
        let tokens = [
          "&#x0;", "<!--", "]]>", "<rdf:li>", "</", "\"", "1e999", "-1", "99999999999", "\u{0}", "<a ", "&lt;",
        ]
        result.insert(contentsOf: (tokens.randomElement(using: &self) ?? "").utf8, at: at)
      }
    }
    return result
  }
}
