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
    ("{}", "{}"), ("[]", "[]"), ("null", "null"), ("[1, -2.5e300, \"a\", true, null, [[]]]", "[v,v,v,v,null,[[]]]"),
    (#"{"b": {"c": null, "": 1}, "a": [{"x": 1}, 2]}"#, #"{a:[{x:v},v],b:{:v,c:null}}"#),
  ])
  func shapes(json: String, expected: String) throws {
    func text(_ shape: JSONShape) -> String {
      switch shape {
      case .object(let parts):
        "{" + parts.sorted { $0.key < $1.key }.map { "\($0):\(text($1))" }.joined(separator: ",") + "}"
      case .list(let parts): "[" + parts.map(text).joined(separator: ",") + "]"
      case .null: "null"
      case .value: "v"
      }
    }
    #expect(text(try JSONDecoder().decode(JSONShape.self, from: Data(json.utf8))) == expected)
  }
}
