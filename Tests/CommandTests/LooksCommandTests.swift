import BackdropLooks
import Foundation
import TestSupport
import Testing

@Suite struct LooksCommandTests {
  @Test func listsEveryLook() throws {
    let outcome = try BuiltCommand.run(["looks"])
    #expect(outcome.status == 0)
    let text = outcome.text
    for look in Look.builtIn { #expect(text.contains(look.id)) }
  }

  @Test func whatItPrintsItTakesBack() throws {
    let folder = TemporaryFolder()
    let shown = try BuiltCommand.run(["looks", "show", "halo", "--json"])
    #expect(try JSONDecoder().decode(Look.self, from: shown.output) == Look.named("halo"))
    try shown.output.write(to: URL(fileURLWithPath: folder.file("mine.json")))
    let again = try BuiltCommand.run(["looks", "show", folder.file("mine.json"), "--json"])
    #expect(again.output == shown.output)
  }
}
