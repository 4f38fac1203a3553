import BackdropImaging
import Foundation
import TestSupport
import Testing

/// OBS shows parameters under headings from a file of strings.
@Suite struct GroupHeadingTests {
  /// Each group has a heading, except those that OBS does not show: a look's own, a part of a video, a session's camera and outputs.
  @Test func everyGroupHasOne() throws {
    let text = try String(
      contentsOfFile: GeneratedDocumentation.page("Bindings/obs/data/locale/en-US.ini"), encoding: .utf8)
    let headings = text.matches(of: /(?m)^Group\.(\w+)="(.+)"$/).reduce(into: [:]) { $0[String($1.1)] = String($1.2) }
    let shown = ParameterGroup.allCases.filter { ![.look, .camera, .part, .output].contains($0) }
    #expect(Set(headings.keys) == Set(shown.map(\.rawValue)))
    #expect(
      headings["background"] == ParameterGroup.background.title && headings["light"] == ParameterGroup.light.title)
  }
}
