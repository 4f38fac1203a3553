import BackdropImaging
import Foundation
import TestSupport
import Testing

/// Backdrop's JSON reader and writer compared with Foundation's.
@Suite struct JSONTests {
  struct Part: Codable, Equatable {
    var name: String
    var count: Int
    var size: Double
    var isOn: Bool
    var none: Int?
    var list: [Float]
    var parts: [String: Part]
  }

  static func part(_ random: inout SeededRandom, depth: Int = 0) -> Part {
    let letters: [Character] = ["a", "é", "\"", "\\", "/", "\n", "\u{1}", "😀", "\u{2028}", " ", "~", "\u{7F}"]
    func text(_ random: inout SeededRandom) -> String {
      String((0..<Int.random(in: 0...8, using: &random)).map { _ in letters.randomElement(using: &random) ?? "x" })
    }
    var parts: [String: Part] = [:]
    if depth < 3 {
      for _ in 0..<Int.random(in: 0...2, using: &random) { parts[text(&random)] = part(&random, depth: depth + 1) }
    }
    return Part(
      name: text(&random), count: Int.random(in: .min ... .max, using: &random),
      size: Double.random(in: -1e12...1e12, using: &random),
      isOn: Bool.random(using: &random), none: Bool.random(using: &random) ? nil : 7,
      list: (0..<Int.random(in: 0...4, using: &random)).map { _ in Float.random(in: -2...2, using: &random) },
      parts: parts)
  }

  @Test func foundationReadsWhatWeWrite() throws {
    var random = SeededRandom(seed: 1)
    for (isPretty, _) in product([false, true], 0..<200) {
      let part = Self.part(&random)
      let bytes = try JSONWriter(isPretty: isPretty).encode(part)
      #expect(try JSONDecoder().decode(Part.self, from: Data(bytes)) == part)
      #expect(try JSONReader.decode(Part.self, from: bytes) == part)
    }
  }

  @Test func weReadWhatFoundationWrites() throws {
    var random = SeededRandom(seed: 2)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    for _ in 0..<200 {
      let part = Self.part(&random)
      #expect(try JSONReader.decode(Part.self, from: [UInt8](encoder.encode(part))) == part)
    }
  }

  @Test func textsAreTheSameAsFoundations() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let values: [String: [Double]] = [
      "a": [0, -0.0, 1, 0.1, 1e21, 1e-7, 123_456_789, .leastNonzeroMagnitude, .greatestFiniteMagnitude],
      "é/\"\\": [2.5],
    ]
    #expect(
      String(decoding: try JSONWriter(isPretty: true).encode(values), as: UTF8.self)
        == String(decoding: try encoder.encode(values), as: UTF8.self))
  }

  @Test(arguments: [
    "", " ", "{", "}", "[", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "[1 2]", "01", "1.", ".5", "+1", "-", "1e",
    "0x10", "nul",
    "True", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\n\"", "'a'", "NaN",
    "Infinity",
    "1 1", "[]]", "// no", "\u{FEFF}\u{FEFF}1",
  ])
  func whatIsNoJSONIsRefused(_ text: String) {
    #expect(throws: DecodingError.self) { try JSONReader.decode(JSONShape.self, from: Array(text.utf8)) }
  }

  @Test func bytesThatAreNoUTF8AreRefused() {
    for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFF]] {
      #expect(throws: DecodingError.self) { try JSONReader.decode(String.self, from: bytes) }
    }
  }

  @Test func depthIsLimited() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    _ = try JSONReader.decode(JSONShape.self, from: nested(500))
    #expect(throws: DecodingError.self) { try JSONReader.decode(JSONShape.self, from: nested(600)) }
    #expect(throws: DecodingError.self) { try JSONReader.decode(JSONShape.self, from: nested(1_000_000)) }
  }

  @Test func numbersFitOrAreRefused() throws {
    func read<Value: Decodable>(_ text: String, as type: Value.Type) throws -> Value {
      try JSONReader.decode(type, from: Array(text.utf8))
    }
    #expect(try read("1.0", as: Int.self) == 1)
    #expect(try read("1e3", as: UInt16.self) == 1000)
    #expect(try read("9007199254740993", as: Int64.self) == 9_007_199_254_740_993)
    #expect(try read("0.1", as: Double.self) == 0.1)
    #expect(try read("-0", as: Double.self).sign == .minus)
    for wrong in ["1.5", "300", "-1", "1e99"] {
      #expect(throws: DecodingError.self) { try read(wrong, as: UInt8.self) }
    }
    #expect(throws: DecodingError.self) { try read("1e999", as: Double.self) }
    #expect(throws: DecodingError.self) { try read("\"1\"", as: Int.self) }
    #expect(throws: DecodingError.self) { try read("1", as: Bool.self) }
    #expect(throws: EncodingError.self) { try JSONWriter().encode([Double.nan]) }
    let texts = try JSONWriter(notFinite: .texts(infinity: "inf", nan: "nan")).encode([Double.nan, -.infinity])
    #expect(String(decoding: texts, as: UTF8.self) == "[\"nan\",\"-inf\"]")
  }

  @Test func placesAreTold() {
    let text = #"{"name":"a","count":1,"size":1,"isOn":true,"list":[1,"x"],"parts":{}}"#
    do {
      _ = try JSONReader.decode(Part.self, from: Array(text.utf8))
      Issue.record("a text is no number")
    } catch DecodingError.typeMismatch(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["list", "Index 1"])
      #expect(context.debugDescription == "expected a number, found a text")
    } catch {
      Issue.record("\(error)")
    }
  }
}
