extension String {
  /// The text padded with spaces to a column; a longer one is unchanged.
  package func padded(to length: Int) -> String { self + String(repeating: " ", count: max(0, length - count)) }
}
