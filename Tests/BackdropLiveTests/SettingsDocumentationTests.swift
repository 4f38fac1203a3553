import Backdrop
import BackdropLive
import TestSupport
import Testing

/// The tables of `docs/settings.md` are generated from the declarations; `BACKDROP_WRITE_DOCS=1` writes them.
@Suite struct SettingsDocumentationTests {
  private static let page = GeneratedDocumentation.page("docs/settings.md")

  @Test func live() throws {
    let text = LiveSettings.parameters.markdown
    #expect(try GeneratedDocumentation.part("live", of: Self.page, from: text) == text)
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
