import BackdropImaging
import BackdropMatting
import Foundation
import TestSupport
import Testing

@testable import BackdropLooks

@Suite struct LookTests {
  @Test(arguments: Look.builtIn)
  func survivesJSON(look: Look) throws {
    let data = try JSONEncoder().encode(look)
    #expect(try JSONDecoder().decode(Look.self, from: data) == look)
  }

  @Test(arguments: Look.builtIn)
  func isSoundAndDescribed(look: Look) throws {
    try look.check()
    #expect(!look.summary.isEmpty)
    for parameter in look.parameters { #expect(!parameter.summary.isEmpty, "\(parameter.name)") }
    #expect(Look.named(look.id) == look)
  }

  @Test func namesAreUnique() {
    #expect(Set(Look.builtIn.map(\.id)).count == Look.builtIn.count)
    #expect(Look.named("nonesuch") == nil)
  }

  @Test func aMisspeltKeyIsNamed() throws {
    let folder = TemporaryFolder()
    let text = String(decoding: try JSONEncoder().encode(Look.backdrop), as: UTF8.self)
    let file = URL(fileURLWithPath: folder.file("look.json"))
    try text.replacing("\"through\":\"matte\"", with: "\"trough\":\"matte\"").write(
      to: file, atomically: true, encoding: .utf8)
    #expect(refusal { try Look.load(file.path) }?.message == "a look has no \"trough\"")
    try text.write(to: file, atomically: true, encoding: .utf8)
    #expect(try Look.load(file.path) == .backdrop)
  }

  @Test(
    arguments: [
      (Look.backdrop, [.depth, .depthMatte, .face, .background], ["cutoff": .noFace]),
      (.backdrop, [.network, .noFace], ["cutoff": .depthMatte, "margin": .depthMatte]),
      (.backdrop, [.depthMatte, .noFace], ["margin": .face]),
      // The subject's matte replaces distances.
      (.refocus, [.network], [:]), (.refocus, [.network, .motion], [:]), (.bokeh, [.network], [:]),
      // A stream without depth has two distances.
      (.bokeh, [.network, .motion], ["width": .depth]), (.bokeh, [.network, .depth, .motion], [:]),
      (.noir, [], [:]), (.anaglyph, [.network], [:]),
    ] as [(Look, Set<StreamFact>, [String: StreamFact])])
  func knowsWhatHasNoEffect(look: Look, facts: Set<StreamFact>, inactive: [String: StreamFact]) {
    #expect(look.inactive(where: facts) == inactive)
  }

  /// A parameter that controls two settings is useful if one of them is.
  @Test func oneUseIsEnough() {
    var look = Look.backdrop
    look.layers[1].opacity = .parameter("margin")
    #expect(look.inactive(where: [])["margin"] == nil)
    #expect(look.inactive(where: [])["cutoff"] == .depthMatte)
  }

  /// A file without a parameter's kind means a number.
  @Test func numbersNeedNoKind() throws {
    let folder = TemporaryFolder()
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(Look.backdrop), as: UTF8.self)
    let file = URL(fileURLWithPath: folder.file("look.json"))
    let old = text.replacing(#""kind":"number","#, with: "")
    #expect(old != text)
    try old.write(to: file, atomically: true, encoding: .utf8)
    #expect(try Look.load(file.path) == .backdrop)
    try old.replacing(#""minimum":0.05,"#, with: #""minimum":0.05,"median":1,"#).write(
      to: file, atomically: true, encoding: .utf8)
    #expect(refusal { try Look.load(file.path) }?.message == "a look has no \"median\"")
  }

  /// The defaults of Apple's sample, according to DESIGN: sigma 5 depth pixels, gamma 0.5, 25 cm, 1 m.
  @Test func backdropHasTheDefaultsOfTheSample() throws {
    let recipe = Look.backdrop.recipe(try Look.backdrop.settings())
    #expect(recipe == DepthMatteRecipe(cutoffMetres: 1, marginMetres: 0.25, sigma: 5, gamma: 0.5))
  }

  @Test func wishesAreTakenAndChecked() throws {
    let settings = try Look.backdrop.settings(["radius": 12, "gamma": 2])
    #expect(Look.backdrop.recipe(settings).sigma == 12)
    #expect(Look.backdrop.recipe(settings).gamma == 2)
    let range = refusal { try Look.backdrop.settings(["radius": 51]) }
    #expect(range?.message == "radius 51 is out of range: 0…50 depth pixels")
    #expect(throws: BackdropError.self) { try Look.backdrop.settings(["gamma": .nan]) }
    #expect(
      refusal { try Look.backdrop.settings(["raduis": 5]) }?.hint?.text == "it has: cutoff, margin, radius, gamma")
  }

  @Test func aRadiusThatIsSetShapesTheMatteWhateverItIs() throws {
    let look = Look.backdrop
    #expect(look.keepsMatteEdges(try look.settings()))
    #expect(look.keepsMatteEdges(try look.settings(["cutoff": 2])))
    for value in [0, 4.9, 5, 5.1] { #expect(!look.keepsMatteEdges(try look.settings(["radius": value]))) }
    #expect(!look.keepsMatteEdges(try look.settings(["gamma": 0.5])))
    #expect(!Look.sharp.keepsMatteEdges(try Look.sharp.settings()))
  }

  @Test(arguments: [
    (#"{"layers": []}"#, "no layers"),
    (#"{"layers": [{"source": "frame", "through": "matte"}]}"#, "lowest layer"),
    (#"{"layers": [{"source": "frame", "blur": "$nothing"}]}"#, "$nothing"),
    (#"{"layers": [{"source": "frame", "blur": 1e9}]}"#, "the blur of a layer"),
    (#"{"matte": {"depth": {"cutoff": 1, "margin": 0, "sigma": 5, "gamma": 0}}}"#, "gamma"),
    (#"{"parameters": [{"name": "dim", "summary": "", "kind": "toggle", "default": true}]}"#, "'dim' without a range"),
  ])
  func nonsenseIsRefused(patch: String, complaint: String) throws {
    var object = try #require(
      JSONSerialization.jsonObject(with: JSONEncoder().encode(Look.backdrop)) as? [String: Any])
    let changes = try #require(JSONSerialization.jsonObject(with: Data(patch.utf8)) as? [String: Any])
    object.merge(changes) { $1 }
    let look = try JSONDecoder().decode(Look.self, from: JSONSerialization.data(withJSONObject: object))
    #expect(refusal { try look.check() }?.message.contains(complaint) == true)
  }
}
