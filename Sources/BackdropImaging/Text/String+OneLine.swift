extension StringProtocol {
  /// The text with a question mark in place of each line break and control character, which untrusted names and files may contain: safe for
  /// one-line messages and for terminals.
  package var oneLine: String {
    let odd: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
    // Most texts need no change: control characters and line separators begin with one of these bytes.
    guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xE2 }) else { return String(self) }
    return String(
      String.UnicodeScalarView(unicodeScalars.map { odd.contains($0.properties.generalCategory) ? "?" : $0 }))
  }
}
