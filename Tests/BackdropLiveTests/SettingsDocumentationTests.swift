import Backdrop
import BackdropLive
import Foundation
import TestSupport
import Testing

/// The tables of `docs/settings.md` are generated from the declarations; `BACKDROP_WRITE_DOCS=1` writes them.
@Suite struct SettingsDocumentationTests {
  private static let page = GeneratedDocumentation.page("docs/settings.md")

  @Test func live() throws {
    let text = LiveSettings.parameters.markdown
    #expect(try GeneratedDocumentation.part("live", of: Self.page, from: text) == text)
  }

  /// Pages show the reason for each code.
  @Test func codesOfMissingConditions() throws {
    let text = try String(contentsOfFile: Self.page, encoding: .utf8)
    let list = try #require(text.components(separatedBy: "missing condition:").last?.prefix { $0 != "." })
    let codes = list.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    #expect(Set(codes) == Set(LiveSettings.parameters.absences.keys))
    #expect(codes.count == 10)
  }

  @Test func parts() throws {
    let text = SceneInput.Options.parameters.markdown
    #expect(try GeneratedDocumentation.part("parts", of: Self.page, from: text) == text)
  }

  @Test func jobs() throws {
    let text = Job.Plan.parameters.markdown
    #expect(try GeneratedDocumentation.part("jobs", of: Self.page, from: text) == text)
  }
}
