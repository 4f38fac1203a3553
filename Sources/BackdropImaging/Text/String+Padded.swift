extension String {
  /// The text with spaces after it, up to a column; one that is longer as it is.
  package func padded(to length: Int) -> String { self + String(repeating: " ", count: max(0, length - count)) }
}
