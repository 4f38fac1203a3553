extension StringProtocol {
  /// The first letters, fit for a message of one line.
  var excerpt: String {
    let odd: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
    return String(prefix(40).unicodeScalars.map { odd.contains($0.properties.generalCategory) ? "?" : Character($0) })
  }
}
