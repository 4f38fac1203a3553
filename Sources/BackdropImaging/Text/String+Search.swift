extension StringProtocol {
  /// The first occurrence of another text in this one, byte for byte; `nil` without one, and for an empty text.
  ///
  /// The standard library's own searches would link its regular expressions into `libbackdrop.so`; modules are compiled without them.
  package func firstRange(of text: some StringProtocol) -> Range<String.Index>? {
    let (bytes, wanted) = (utf8, Array(text.utf8))
    guard let first = wanted.first else { return nil }
    var rest = bytes[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: wanted) { return start..<bytes.index(start, offsetBy: wanted.count) }
      rest = rest.dropFirst()
    }
    return nil
  }

  package func replacing(_ old: some StringProtocol, with new: some StringProtocol) -> String {
    var (result, rest) = ("", self[...])
    while let found = rest.firstRange(of: old) {
      result += rest[..<found.lowerBound] + String(new)
      rest = rest[found.upperBound...]
    }
    return result + rest
  }
}

// Declared on the type itself, so that it takes precedence over Foundation's.
extension String {
  /// Whether another text occurs in this one, byte for byte.
  package func contains(_ text: String) -> Bool { firstRange(of: text) != nil }
}
