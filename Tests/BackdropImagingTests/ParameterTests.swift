import BackdropImaging
import Foundation
import TestSupport
import Testing

@Suite struct ParameterTests {
  static let radius = Parameter("radius", "Blur", unit: "px", in: 0...50, default: 5)
  static let focus = Parameter("focus", "The distance", unit: "", in: 0...1, default: 0.75, automatic: "subject")
  static let beam = Parameter(
    "beam", "How it falls", .choice([.init("wide", "all"), .init("narrow", "one")]), default: "wide", group: .edges)

  /// The form of a number in a look's file must not change, because people have written such files.
  @Test func readsTheNumbersOfLooks() throws {
    let text = #"{"name":"radius","summary":"Blur","unit":"px","minimum":0,"maximum":50,"default":5}"#
    #expect(try JSONDecoder().decode(Parameter.self, from: Data(text.utf8)) == Self.radius)
  }

  @Test func writesWhatAPageNeeds() throws {
    func json(_ parameter: Parameter) throws -> NSDictionary? {
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(parameter)) as? NSDictionary
    }
    #expect(
      try json(Self.focus) == [
        "kind": "number", "name": "focus", "title": "Focus", "summary": "The distance", "unit": "", "minimum": 0,
        "maximum": 1,
        "default": 0.75, "automatic": "subject", "automaticNumber": -1,
      ])
    #expect(
      try json(Self.beam) == [
        "kind": "choice", "name": "beam", "title": "Beam", "summary": "How it falls", "default": "wide",
        "group": "edges",
        "choices": [["name": "wide", "summary": "all"], ["name": "narrow", "summary": "one"]],
      ])
  }

  @Test(arguments: [radius, focus, beam] + Lamp.parameters.parameters)
  func survivesJSON(parameter: Parameter) throws {
    #expect(try JSONDecoder().decode(Parameter.self, from: JSONEncoder().encode(parameter)) == parameter)
    if let value = parameter.default { try parameter.check(value) }
  }

  @Test(arguments: [
    #"{"name":"x","summary":"","unit":"","minimum":2,"maximum":1,"default":1}"#,
    #"{"name":"x","summary":"","unit":"","minimum":0,"maximum":1}"#,
    #"{"name":"x","summary":"","kind":"dial","default":1}"#, #"{"name":"x","summary":"","kind":"toggle"}"#,
    #"{"name":"x","summary":"","kind":"choice","default":"a"}"#,
  ])
  func refusesHalfADescription(text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Parameter.self, from: Data(text.utf8)) }
  }

  @Test(
    arguments: [
      ("brightness", "0.25", 0.25), ("brightness", "1e-3", 0.001), ("quarter-turns", "-2", -2), ("watts", "100", 100),
      ("lit", "off", false), ("flicker", "on", true), ("flicker", "auto", nil), ("beam", "narrow", "narrow"),
      ("shade", "a b.png", "a b.png"), ("shade", "auto", nil), ("label", "auto", "auto"), ("label", "", ""),
      ("tint", "#0f0", "#00FF00"), ("tint", "00ff00", "#00FF00"),
    ] as [(String, String, ParameterValue?)])
  func readsTexts(name: String, text: String, value: ParameterValue?) throws {
    let parameter = try #require(Lamp.parameters[name])
    #expect(try parameter.value(parsing: text) == value)
  }

  @Test(arguments: [
    ("brightness", "7", "brightness 7 is out of range: 0…1", "the default is 1"),
    ("brightness", "nan", "brightness nan is out of range: 0…1", "the default is 1"),
    ("brightness", "much", "brightness 'much' is not a number", "choose from 0…1"),
    // This parameter has its own default and is never automatic.
    ("brightness", "auto", "brightness 'auto' is not a number", "choose from 0…1"),
    ("watts", "0.5", "watts 0.5 is out of range: 1…100 W", "the default is 60"),
    ("quarter-turns", "0.5", "quarter-turns 0.5 is not a whole number", "the default is 0"),
    ("lit", "maybe", "lit 'maybe' is neither on nor off", "the default is on"),
    ("beam", "round", "beam cannot be 'round'", "choose from wide, narrow"),
    ("tint", "#12345", "tint '#12345' is not a colour", "write #RRGGBB, or a CSS name such as navy"),
  ])
  func refusesTexts(name: String, text: String, message: String, hint: String) throws {
    let parameter = try #require(Lamp.parameters[name])
    let error = #expect(throws: BackdropError.self) { try parameter.value(parsing: text) }
    #expect(error == BackdropError(.wrongArgument, message, hint: hint))
  }

  @Test(
    arguments: [
      (radius, true, "radius on is not a number"), (radius, "5", "radius 5 is not a number"),
      (beam, 1, "beam cannot be 1"),
      (Parameter("mirror", "", .toggle, default: false), 1, "mirror 1 is neither on nor off"),
      (Parameter("tint", "", .color, default: "#000000"), 0, "tint 0 is not a colour"),
      (Parameter("label", "", .text(""), default: ""), 2.5, "label 2.5 is not a text"),
    ] as [(Parameter, ParameterValue, String)])
  func refusesValuesOfAnotherKind(parameter: Parameter, value: ParameterValue, message: String) {
    #expect(refusal { try parameter.check(value) }?.message == message)
  }

  /// A step is a twentieth of the range, 0.05 for 0…1, but at least one for whole numbers.
  @Test(
    arguments: [
      ("brightness", nil, -2, 0.9), ("brightness", 0.02, -1, 0), ("brightness", 0.98, 1, 1),
      ("quarter-turns", nil, 1, 1),
      ("quarter-turns", -2, -1, -2), ("lit", nil, 1, false), ("lit", false, -1, true), ("flicker", nil, 1, true),
      ("beam", nil, 1, "narrow"), ("beam", "narrow", 1, "wide"), ("beam", "wide", -3, "narrow"), ("label", "a", 1, nil),
    ] as [(String, ParameterValue?, Int, ParameterValue?)])
  func goesByArrows(name: String, value: ParameterValue?, steps: Int, next: ParameterValue?) throws {
    #expect(try #require(Lamp.parameters[name]).stepped(from: value, by: steps) == next)
  }

  /// Printed values are read back exactly, to the last bit.
  @Test func printsWhatItReads() throws {
    var random = SeededRandom(seed: 16)
    for _ in 0..<1000 {
      let value = ParameterValue.number(Double.random(in: 0...50, using: &random))
      #expect(try Self.radius.value(parsing: value.description) == value)
      let json = try JSONEncoder().encode([value])
      #expect(try JSONDecoder().decode([ParameterValue].self, from: json) == [value])
    }
    #expect(ParameterValue.number(8).description == "8")
    #expect(try JSONDecoder().decode([ParameterValue].self, from: Data("[1, true, \"1\"]".utf8)) == [1, true, "1"])
  }
}
