extension StringProtocol {
  /// Both ends of a range written as `0.5…4`, `0.5..4` or `0.5...4`; `nil` for anything else.
  package var rangeEnds: (first: String, last: String)? {
    let text = replacing("…", with: "..").replacing("...", with: "..")
    guard let mark = text.firstRange(of: "..") else { return nil }
    let last = String(text[mark.upperBound...])
    return last.contains("..") ? nil : (String(text[..<mark.lowerBound]), last)
  }
}
