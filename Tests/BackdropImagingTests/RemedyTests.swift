import BackdropImaging
import Foundation
import Testing

@Suite struct RemedyTests {
  private let rename = Remedy("rename", "end the name in .mkv", ["endings": ".mkv"])

  @Test func errorsTakeTextsAndRemedies() {
    let plain = BackdropError(.badData, "damaged", hint: "fetch it again")
    #expect(plain.remedy == Remedy("fetch it again") && plain.hint == "fetch it again" && plain.remedy?.code == nil)
    let coded = BackdropError(.badData, "damaged", path: "a.mp4", hint: rename)
    #expect(coded.remedy?.code?.rawValue == "rename" && coded.hint == "end the name in .mkv")
    #expect(coded.description == "damaged: a.mp4")
    #expect(BackdropError(.badData, "damaged").remedy == nil)
    #expect(coded != BackdropError(.badData, "damaged", path: "a.mp4", hint: "end the name in .mkv"))
  }

  @Test func remediesGoThroughJSON() throws {
    for remedy in [rename, "plain", Remedy("bare", "no values")] {
      let data = try JSONEncoder().encode([remedy])
      #expect(try JSONDecoder().decode([Remedy].self, from: data) == [remedy])
    }
    #expect(try JSONDecoder().decode([Remedy].self, from: Data(#"["do it"]"#.utf8)) == ["do it"])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Remedy].self, from: Data("[7]".utf8)) }
  }

  /// A program with a user interface supplies its own words for remedies.
  @Test func encodersHaveWords() throws {
    let encoder = JSONEncoder()
    let wording: Remedy.Wording = { "name it *\($0.values["endings"] ?? "")" }
    encoder.userInfo[Remedy.wordingKey] = wording
    let written = String(decoding: try encoder.encode([rename]), as: UTF8.self)
    #expect(written == #"["name it *.mkv"]"#)
    let warning = Warning(BackdropError(.unsupported, "no sound", path: "a.mp4", hint: rename))
    let line = String(decoding: try encoder.encode([warning]), as: UTF8.self)
    #expect(line == #"["no sound: a.mp4; name it *.mkv"]"#)
    #expect(warning.description == "no sound: a.mp4; end the name in .mkv")
    #expect(try JSONDecoder().decode([Warning].self, from: Data(#"["a; b"]"#.utf8)) == ["a; b"])
  }
}
