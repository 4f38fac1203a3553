import BackdropImaging
import TestSupport
import Testing

/// Searching in text, and splitting text into lines.
@Suite struct SearchTests {
  /// The first position of `wanted`, found by trying all positions.
  static func slowIndex(_ wanted: [UInt8], in bytes: [UInt8]) -> Int? {
    guard !wanted.isEmpty, wanted.count <= bytes.count else { return nil }
    return (0...bytes.count - wanted.count).first { Array(bytes[$0..<$0 + wanted.count]) == wanted }
  }

  @Test func whatIsFoundIsTheFirstOccurrence() {
    var random = SeededRandom(seed: 5)
    let letters = ["a", "b", "é", "😀", ""]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in letters.randomElement(using: &random)! }
        .joined()
      let wanted = (0..<Int.random(in: 0...3, using: &random)).map { _ in letters.randomElement(using: &random)! }
        .joined()
      let index = Self.slowIndex(Array(wanted.utf8), in: Array(text.utf8))
      let found = text.firstRange(of: wanted)
      #expect(found.map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) } == index)
      #expect(found.map { String(text[$0]) } == index.map { _ in wanted })
      #expect(text.contains(wanted) == (index != nil))
    }
  }

  @Test func replacingTakesOccurrencesFromTheFirstOn() {
    #expect("aaa".replacing("aa", with: "b") == "ba")
    #expect("a|b|c".replacing("|", with: "\\|") == "a\\|b\\|c")
    #expect("a".replacing("a", with: "aa") == "aa")
    #expect("abc".replacing("", with: "x") == "abc" && "".replacing("a", with: "b") == "")
    #expect("abcabc".dropFirst().replacing("abc", with: "") == "bc")
  }

  @Test func rangesHaveTwoEnds() {
    for text in ["0.5…4", "0.5..4", "0.5...4"] {
      #expect(text.rangeEnds?.first == "0.5" && text.rangeEnds?.last == "4", "\(text)")
    }
    #expect("…".rangeEnds?.first == "" && "…".rangeEnds?.last == "")
    for text in ["", "4", "1-2", "1..2..3", "1…2…3", "1.2"] { #expect(text.rangeEnds == nil, "\(text)") }
  }
}
