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
      guard let high = rest.next()?.hexDigit, let low = rest.next()?.hexDigit else { return nil }
      result.append(high << 4 | low)
    }
    return String(validating: result, as: UTF8.self)
  }
}
