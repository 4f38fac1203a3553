extension [String] {
  /// The texts as a list in a sentence: `a`, `a or b`, `a, b or c`.
  package func listed(_ word: String) -> String {
    guard let last, count > 1 else { return first ?? "" }
    return "\(dropLast().joined(separator: ", ")) \(word) \(last)"
  }
}
