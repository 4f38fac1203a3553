import BackdropImaging

/// Bytes as text (RFC 4648, section 4).
enum Base64 {
  private static let values: [UInt8] = {
    var table = [UInt8](repeating: 0xFF, count: 256)
    for (value, letter) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8.enumerated() {
      table[Int(letter)] = UInt8(value)
    }
    return table
  }()

  /// The bytes of a text; whitespace is skipped, and the padding at the end may be missing.
  ///
  /// - Throws: `badData` for any other character or an impossible length.
  static func decode(_ text: String, _ name: String) throws(BackdropError) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count / 4 * 3 + 3)
    var bits: UInt32 = 0
    var count = 0
    var hasEnded = false
    for letter in text.utf8 {
      if letter == 0x20 || (0x09...0x0D).contains(letter) { continue }
      if letter == UInt8(ascii: "=") {
        hasEnded = true
        continue
      }
      let value = values[Int(letter)]
      guard value < 64 && !hasEnded else { throw BackdropError(damaged: "\(name) is not Base64 text") }
      bits = bits << 6 | UInt32(value)
      count += 1
      if count == 4 {
        result += [UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8), UInt8(bits & 0xFF)]
        (bits, count) = (0, 0)
      }
    }
    switch count {
    case 0: break
    case 2: result.append(UInt8(truncatingIfNeeded: bits >> 4))
    case 3: result += [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
    default: throw BackdropError(damaged: "\(name) is Base64 text that ends too early")
    }
    return result
  }
}
