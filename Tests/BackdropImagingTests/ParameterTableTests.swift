import BackdropImaging
import Foundation
import TestSupport
import Testing

@Suite struct ParameterTableTests {
  let table = Lamp.parameters

  @Test func describesInOrderAndByGroup() {
    #expect(
      table.parameters.map { "\($0.group) \($0.name)" } == [
        "edges brightness", "edges quarter-turns", "edges beam", "time lit", "time flicker", "background shade",
        "background label", "background position", "output watts", "output tint",
      ])
  }

  /// The default is the property's own initial value, or the whole type's if that sets another value for the part.
  @Test func defaultsComeFromTheType() {
    #expect(table["quarter-turns"]?.default == 0)
    #expect(table["lit"]?.default == true)
    #expect(table["beam"]?.default == "wide")
    #expect(table["brightness"]?.default == 1)
    #expect(table["flicker"]?.default == nil && table["flicker"]?.automatic == "in storms")
    #expect(table["colour"] == nil)
    #expect(table["watts"]?.default == 60)
    #expect(Lamp.Bulb.parameters.parameters[0].default == 40)
  }

  @Test func setsAndPutsBack() throws {
    var lamp = Lamp()
    #expect(
      table.values(of: lamp) == [
        "quarter-turns": 0, "lit": true, "beam": "wide", "label": "lamp", "position": "0,0", "watts": 60,
      ])
    let wanted: [String: ParameterValue] = [
      "brightness": 0.5, "quarter-turns": -1, "lit": false, "flicker": true, "beam": "narrow", "shade": "a.png",
      "label": "", "position": "3,4", "watts": 5, "tint": "#FF0000",
    ]
    for (name, value) in wanted { try table.set(name, to: value, in: &lamp) }
    #expect(table.values(of: lamp) == wanted)
    #expect(lamp.brightness == 0.5 && lamp.turns == -1 && !lamp.isLit && lamp.flickers == true && lamp.beam == .narrow)
    #expect(lamp.bulb.tint == RGBColor(red: 1, green: 0, blue: 0) && lamp.bulb.watts == 5)
    #expect(lamp.position == Lamp.Position(column: 3, row: 4))
    for name in wanted.keys { try table.set(name, to: nil, in: &lamp) }
    #expect(lamp == Lamp())
    try table.set("flicker", parsing: "off", in: &lamp)
    #expect(lamp.flickers == false)
    try table.set("flicker", parsing: "auto", in: &lamp)
    #expect(lamp.flickers == nil)
  }

  @Test func leavesAllAsItWasAfterNonsense() throws {
    var lamp = Lamp()
    let name = refusal { try table.set("colour", to: 1, in: &lamp) }
    #expect(name?.message == "there is no parameter 'colour'")
    #expect(
      name?.hint?.text
        == "choose from brightness, quarter-turns, beam, lit, flicker, shade, label, position, watts, tint")
    #expect(throws: BackdropError.self) { try table.set("watts", to: 101, in: &lamp) }
    let form = #expect(throws: BackdropError.self) { try table.set("position", to: "here", in: &lamp) }
    #expect(form == BackdropError(.wrongArgument, "'here' is no position", hint: "write 3,4"))
    #expect(
      refusal { try table.set("beam", to: "narrow", in: &lamp, isRunning: true) }?.message
        == "beam cannot be changed while a session runs")
    #expect(lamp == Lamp())
  }

  @Test func checksWhatWasSetWithoutIt() throws {
    var lamp = Lamp()
    try table.check(lamp)
    lamp.bulb.watts = .infinity
    #expect(refusal { try table.check(lamp) }?.message == "watts inf is out of range: 1…100 W")
  }

  @Test func knowsWhatHasNoEffect() {
    #expect(table.inactive(where: [.depth, .network, .motion]).isEmpty)
    #expect(table.inactive(where: [.network]) == ["brightness": .depth, "tint": .motion])
    #expect(table.inactive(where: [.depth, .motion]) == ["brightness": .network])
    #expect(
      table.absences == [
        "depth": "there is no depth", "network": "the matte does not come from a person network",
        "motion": "the input is a single picture",
      ])
  }

  /// Programs read the codes, so a code stays the same when its sentence changes.
  @Test func factsAreSerialisedByTheirCodes() throws {
    let facts: [StreamFact] = [
      .depth, .depthMatte, .network, .face, .noFace, .motion, .subject, .relief, .background,
    ]
    let codes = ["depth", "depth-matte", "network", "face", "no-face", "motion", "subject", "relief", "background"]
    let written = try JSONEncoder().encode(facts)
    #expect(try JSONDecoder().decode([String].self, from: written) == codes)
    #expect(try JSONDecoder().decode([StreamFact].self, from: written) == facts)
  }

  /// A type whose file contains a list in addition to its parameters.
  private struct Kept: Codable, Equatable {
    var lamp = Lamp()
    var rooms: [String] = []

    private enum Key: String, CodingKey { case rooms }

    init() {}

    init(from decoder: any Decoder) throws {
      lamp = try Lamp.parameters.decode(from: decoder, besides: [Key.rooms.rawValue])
      rooms = try decoder.container(keyedBy: Key.self).decodeIfPresent([String].self, forKey: .rooms) ?? []
    }

    func encode(to encoder: any Encoder) throws {
      try Lamp.parameters.encode(lamp, to: encoder)
      var object = encoder.container(keyedBy: Key.self)
      try object.encode(rooms, forKey: .rooms)
    }
  }

  @Test func isKeptAsAnObjectOfNames() throws {
    var kept = Kept()
    kept.rooms = ["hall"]
    (kept.lamp.brightness, kept.lamp.isLit, kept.lamp.bulb.tint) = (0.5, false, .white)
    let json = try JSONEncoder().encode(kept)
    #expect(
      try JSONSerialization.jsonObject(with: json) as? NSDictionary == [
        "brightness": 0.5, "quarter-turns": 0, "beam": "wide", "lit": false, "label": "lamp", "position": "0,0",
        "watts": 60, "tint": "#FFFFFF", "rooms": ["hall"],
      ])
    #expect(try JSONDecoder().decode(Kept.self, from: json) == kept)
    let some = try JSONDecoder().decode(Kept.self, from: Data(#"{"watts": 5, "lit": null}"#.utf8))
    #expect(some.lamp.bulb.watts == 5 && some.lamp.isLit && some.rooms.isEmpty)
  }

  @Test(arguments: [
    (#"{"brigthness": 1}"#, "Backdrop has no setting 'brigthness'"),
    (#"{"brightness": 2}"#, "brightness 2 is out of range: 0…1"),
    (#"{"brightness": "bright"}"#, "brightness bright is not a number"),
    (#"{"position": ""}"#, "'' is no position"), (#"{"lit": 1}"#, "lit 1 is neither on nor off"),
    (#"{"watts": [5]}"#, "watts is not a number, true, false or a text"),
  ])
  func refusesObjects(text: String, message: String) {
    let error = refusal { try JSONDecoder().decode(Kept.self, from: Data(text.utf8)) }
    #expect(error?.message == message && error?.kind == .badData && error?.hint?.text.isEmpty == false)
  }

  @Test func isDocumented() throws {
    let text = """
      **Output**

      | name | what it does | values | default |
      |---|---|---|---|
      | `watts` | How much it takes | 1…100 W | 40 |
      | `tint` | The colour of its light | #RRGGBB, or a name of CSS | the daylight's |

      """
    #expect(Lamp.Bulb.parameters.markdown == text)
    #expect(
      table.markdown.contains(
        "| `beam` | How its light falls | `wide`: fills the room<br>`narrow`: falls on one thing | wide |\n"))
    #expect(table.markdown.components(separatedBy: "\n\n**").count == 4, "a table for each group, with space between")
  }
}
