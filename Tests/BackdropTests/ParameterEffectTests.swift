import Backdrop
import BackdropLooks
import TestSupport
import Testing

/// Each parameter of each look changes the picture, or is known to have no effect.
@Suite struct ParameterEffectTests {
  private let stage = LookStage()

  @Test(arguments: Look.builtIn.map(\.id)) func depth(id: String) throws { try check(id, .depth) }
  @Test(arguments: Look.builtIn.map(\.id)) func depthWithFace(id: String) throws { try check(id, .depthWithFace) }
  @Test(
    .enabled(if: NetworkRuntime.isInstalled && ModelStore().isComplete, "needs the network runtime: make setup-test"),
    arguments: Look.builtIn.map(\.id)) func network(id: String) throws
  {
    try check(id, .network)
  }

  private func check(_ id: String, _ evidence: LookStage.Evidence) throws {
    let look = try #require(Look.named(id))
    let usual = try stage.draw(look, by: evidence)
    let facts = usual.findings.facts(isStill: false, hasBackground: look.hasBackground)
    let inactive = look.inactive(where: facts)
    for parameter in look.parameters {
      let range = try #require(parameter.range)
      let values = [range.lowerBound, (range.lowerBound + range.upperBound) / 2, range.upperBound]
      func turns(_ others: [String: Double], from usual: Image) throws -> Bool {
        try values.contains { value in
          let chosen = others.merging([parameter.name: value]) { $1 }
          let picture = try stage.draw(look, chosen, by: evidence).image
          // Differences of one or two levels may be rounding.
          return PictureDifference(picture, usual).map { $0.maximum > 2 } ?? true
        }
      }
      var isTurned = try turns([:], from: usual.image)
      // Without depth there are two distances, and the depth in focus has no effect round one of them.
      if !isTurned, parameter.name == "width", let focus = look.focusParameter {
        let others = [focus: 0.5]
        let isTurnedThere = try turns(others, from: try stage.draw(look, others, by: evidence).image)
        if inactive[parameter.name] == nil {
          isTurned = isTurnedThere
        } else {
          #expect(isTurnedThere == (look.inactive(where: facts, values: others)[parameter.name] == nil), "\(id)")
        }
      }
      #expect(
        isTurned == (inactive[parameter.name] == nil),
        "\(id), \(parameter.name): \(isTurned ? "changes the picture" : "changes nothing")")
    }
  }
}
