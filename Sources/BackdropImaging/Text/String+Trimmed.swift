extension StringProtocol {
  /// The text without whitespace and line breaks at its ends.
  package var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
