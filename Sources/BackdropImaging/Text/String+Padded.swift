extension String {
  /// The text padded with spaces to a column; a longer one is unchanged.
  package func padded(to length: Int) -> String { self + String(repeating: " ", count: max(0, length - count)) }

  /// The text, usually a number's digits, with zeros before it up to a length; a longer one is unchanged.
  package func zeroPadded(to length: Int) -> String { String(repeating: "0", count: max(0, length - count)) + self }
}
