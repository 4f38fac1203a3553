import BackdropImaging
import Foundation
import Testing

@Suite struct HintTests {
  private let rename = Hint("rename", "end the name in .mkv", ["fileExtensions": ".mkv"])

  @Test func errorsTakeTextsAndHints() {
    let plain = BackdropError(.badData, "damaged", hint: "fetch it again")
    #expect(plain.hint == Hint("fetch it again") && plain.hint?.text == "fetch it again" && plain.hint?.code == nil)
    let coded = BackdropError(.badData, "damaged", path: "a.mp4", hint: rename)
    #expect(coded.hint?.code?.rawValue == "rename" && coded.hint?.text == "end the name in .mkv")
    #expect(coded.description == "damaged: a.mp4")
    #expect(BackdropError(.badData, "damaged").hint == nil)
    #expect(coded != BackdropError(.badData, "damaged", path: "a.mp4", hint: "end the name in .mkv"))
  }

  @Test func hintsGoThroughJSON() throws {
    for hint in [rename, "plain", Hint("bare", "no values")] {
      let data = try JSONEncoder().encode([hint])
      #expect(try JSONDecoder().decode([Hint].self, from: data) == [hint])
    }
    #expect(try JSONDecoder().decode([Hint].self, from: Data(#"["do it"]"#.utf8)) == ["do it"])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Hint].self, from: Data("[7]".utf8)) }
  }

  /// A program with a user interface supplies its own words for hints.
  @Test func encodersHaveWords() throws {
    let encoder = JSONEncoder()
    let wording: Hint.Wording = { "name it *\($0.values["fileExtensions"] ?? "")" }
    encoder.userInfo[Hint.wordingKey] = wording
    let written = String(decoding: try encoder.encode([rename]), as: UTF8.self)
    #expect(written == #"["name it *.mkv"]"#)
    let warning = Warning(BackdropError(.unsupported, "no sound", path: "a.mp4", hint: rename))
    let line = String(decoding: try encoder.encode([warning]), as: UTF8.self)
    #expect(line == #"["no sound: a.mp4; name it *.mkv"]"#)
    #expect(warning.description == "no sound: a.mp4; end the name in .mkv")
    #expect(try JSONDecoder().decode([Warning].self, from: Data(#"["a; b"]"#.utf8)) == ["a; b"])
  }
}
