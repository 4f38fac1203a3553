extension StringProtocol {
  /// The text with a question mark in place of each line break and control character, which names and files of others can hold:
  /// fit for a message of one line, and for terminals.
  package var oneLine: String {
    let odd: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
    // Most texts are fine: control characters and separators of lines begin with one of these bytes.
    guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xE2 }) else { return String(self) }
    return String(
      String.UnicodeScalarView(unicodeScalars.map { odd.contains($0.properties.generalCategory) ? "?" : $0 }))
  }
}
