import BackdropImaging

/// A type with a parameter of each kind, for testing code generated from parameters.
package struct Lamp: Parameterized, Equatable {
  package enum Beam: String, ParameterChoice {
    case wide, narrow

    package var summary: String { self == .wide ? "fills the room" : "falls on one thing" }
  }

  /// A value with its own textual form.
  package struct Position: ParameterText, Equatable {
    package var column: Int
    package var row: Int

    package init(column: Int, row: Int) { (self.column, self.row) = (column, row) }

    package static let form = "COLUMN,ROW"

    package init(parsing text: String) throws(BackdropError) {
      let parts = text.split(separator: ",").map { Int($0) }
      guard parts.count == 2, let column = parts[0], let row = parts[1] else {
        throw BackdropError(.wrongArgument, "'\(text)' is no position", hint: "write 3,4")
      }
      self.init(column: column, row: row)
    }

    package var description: String { "\(column),\(row)" }
  }

  /// A part with its own parameters.
  package struct Bulb: Parameterized, Equatable {
    package var watts = 40.0
    package var tint: RGBColor?

    package init() {}

    package static let parameters: ParameterTable<Self> = [
      .output: [
        .number("watts", "How much it takes", \.watts, in: 1...100, unit: "W"),
        .color("tint", "The colour of its light", \.tint, automatic: "the daylight's").needing(.motion),
      ]
    ]
  }

  package var brightness: Double?
  package var turns = 0
  package var isLit = true
  package var flickers: Bool?
  package var beam = Beam.wide
  package var shade: String?
  package var label = "lamp"
  package var position = Position(column: 0, row: 0)
  package var bulb: Bulb

  package init() {
    bulb = Bulb()
    bulb.watts = 60
  }

  package static let parameters: ParameterTable<Self> =
    [
      .edges: [
        .number("brightness", "How bright it is", \.brightness, in: 0...1, default: 1).needing(.depth, .network),
        .number("quarter-turns", "How far it is turned", \.turns, in: -2...2),
        .choice("beam", "How its light falls", \.beam).fixedAtStart,
      ],
      .time: [
        .toggle("lit", "Whether it is on", \.isLit),
        .toggle("flicker", "Whether it trembles", \.flickers, automatic: "in storms"),
      ],
      .background: [
        .file("shade", "What is drawn on the shade", \.shade, of: "a picture", automatic: "nothing"),
        .text("label", "What is written on it", \.label),
        .text("position", "Where it stands", \.position),
      ],
    ] + Bulb.parameters.lifted(to: \.bulb)
}
