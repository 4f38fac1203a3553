extension StringProtocol {
  /// The text with percent escapes such as `%20` (RFC 3986, section 2.1) decoded; `nil` if a percent sign is not followed by two
  /// hexadecimal digits, or if the result is not UTF-8.
  package var percentDecoded: String? {
    var result: [UInt8] = []
    var rest = utf8.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(Self.digit), let low = rest.next().flatMap(Self.digit) else { return nil }
      result.append(high << 4 | low)
    }
    return String(validating: result, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
