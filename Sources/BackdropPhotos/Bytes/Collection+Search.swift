extension Collection<UInt8> {
  /// Whether the bytes of a text, which is not empty, occur among these.
  func contains(text: String) -> Bool {
    let mark = Array(text.utf8)
    var rest = self[...]
    while let start = rest.firstIndex(of: mark[0]) {
      rest = rest[start...]
      if rest.starts(with: mark) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
