import Foundation
import TestSupport
import Testing

@testable import BackdropImaging

@Suite struct TextTests {
  /// Foundation's numbers are the oracle.
  @Test(arguments: ["%.6f", "%.4g"])
  func numbers(format: String) {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    var values: [Double] = [0, -0.0, 0.2, 65.535, 13.107, 65_535, 1_305_031_102.175304, 1e-7, -12.5, 1e300]
    for _ in 0..<1000 { values.append(Double.random(in: -1e6...1e6, using: &random)) }
    for value in values { #expect(value.text(format) == String(format: format, value), "\(value), seed \(seed)") }
  }

  /// Foundation's trimming is the oracle.
  @Test(arguments: ["", " ", "a", " a b\n", "\r\n\t a\u{2028}", "\u{A0}é\u{3000}", "\n\n"])
  func trimmed(text: String) {
    #expect(text.trimmed == text.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Foundation's decoding is the oracle.
  @Test(arguments: ["", "a", "a%20b", "%C3%A9%e2%9c%93", "100%", "%2", "%zz", "%+1", "%FF", "é%25%2541", "%00"])
  func percentDecoded(text: String) {
    #expect(text.percentDecoded == text.removingPercentEncoding)
  }

  /// Foundation's calendar is the oracle; a second may pass between the two.
  @Test func stampOfNow() {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "yyyy-MM-dd-HHmmss"
    let before = format.string(from: Date())
    let stamp = LocalTime.stamp
    #expect(before <= stamp && stamp <= format.string(from: Date()))
  }

  @Test(arguments: [
    ("{}", []), (#"{"b": {"c": null, "": 1}, "a": [{"x": 1}, 2], "": 0}"#, ["", "a", "b"]), ("[]", nil), ("null", nil),
    ("1", nil), (#"[{"a": 1}]"#, nil), (#""a""#, nil),
  ])
  func keys(json: String, expected: [String]?) throws {
    let found = try JSONDecoder().decode(JSONKeys.self, from: Data(json.utf8)).names
    #expect(found?.sorted() == expected)
    #expect(try JSONReader.decode(JSONKeys.self, from: Array(json.utf8)).names?.sorted() == expected)
  }
}
