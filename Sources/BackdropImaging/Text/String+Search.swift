extension StringProtocol {
  /// Where another text stands in this one for the first time, byte for byte; `nil` where it does not, and for an empty one.
  ///
  /// The standard library's own searches come with its regular expressions, 1.2 MB of `libbackdrop.so`: modules are compiled without.
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

  /// The text with another in place of each `old`.
  package func replacing(_ old: some StringProtocol, with new: some StringProtocol) -> String {
    var (result, rest) = ("", self[...])
    while let found = rest.firstRange(of: old) {
      result += rest[..<found.lowerBound] + String(new)
      rest = rest[found.upperBound...]
    }
    return result + rest
  }
}

// Of the type itself, so that it is taken before Foundation's where that is imported, too.
extension String {
  /// Whether another text stands in this one, byte for byte.
  package func contains(_ text: String) -> Bool { firstRange(of: text) != nil }
}
