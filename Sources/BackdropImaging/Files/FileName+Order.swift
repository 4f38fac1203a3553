extension FileName {
  /// Whether one name comes before another: numbers by their values, the rest by characters, so that `10.png` comes after `9.png`.
  package static func isBefore(_ first: String, _ second: String) -> Bool {
    var (left, right) = (first[...], second[...])
    while let a = left.first, let b = right.first {
      if isDigit(a) && isDigit(b) {
        let (x, y) = (readNumber(&left), readNumber(&right))
        if x.count != y.count { return x.count < y.count }
        if x != y { return x < y }
      } else {
        if a != b { return a < b }
        left.removeFirst()
        right.removeFirst()
      }
    }
    // `01` and `1` count as equal.
    return left.isEmpty == right.isEmpty ? first < second : left.isEmpty
  }

  private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

  /// The leading digits of `text`, without leading zeros.
  private static func readNumber(_ text: inout Substring) -> Substring {
    let digits = text.prefix { isDigit($0) }
    text = text[digits.endIndex...]
    return digits.drop { $0 == "0" }
  }
}
