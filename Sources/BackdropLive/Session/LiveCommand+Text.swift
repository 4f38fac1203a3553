import BackdropImaging

extension LiveCommand: Codable {
  private enum Key: String, CodingKey { case `do`, name, value, raw }

  /// What follows a command's name, and the command with it.
  private enum Argument: Sendable {
    case none(LiveCommand)
    /// A text, with its name in help texts.
    case text(String, @Sendable (String) -> LiveCommand)
    /// On, off, or nothing to toggle.
    case toggle(@Sendable (Bool?) -> LiveCommand)
    /// The name of a parameter and its value.
    case value(@Sendable (String, ParameterValue) -> LiveCommand)
    /// A file, and perhaps a second one.
    case files(@Sendable (String, String?) -> LiveCommand)

    /// The form in help texts, and the maximum number of words.
    var form: (usage: String, count: Int) {
      switch self {
      case .none: ("", 0)
      case .text(let usage, _): (usage, 1)
      case .toggle: ("[on|off]", 1)
      case .value: ("NAME VALUE", 2)
      case .files: ("FILE [RAW]", 2)
      }
    }
  }

  private struct Row: Sendable {
    let name: String, argument: Argument, summary: String

    init(_ name: String, _ argument: Argument, _ summary: String) {
      (self.name, self.argument, self.summary) = (name, argument, summary)
    }

    var usage: String { argument.form.usage.isEmpty ? name : "\(name) \(argument.form.usage)" }

    /// The error for an argument that is missing or wrong.
    func refusal(_ message: String) -> BackdropError {
      BackdropError(.wrongArgument, "\(name) \(message)", hint: "write \(usage)")
    }
  }

  private static let rows = [
    Row(
      "background", .text("NAME") { .background($0) },
      "changes the background: a picture, a video, #RRGGBB, blur, scene:NAME"),
    Row("next-background", .none(.nextBackground), "changes to the next background in the list"),
    Row("previous-background", .none(.previousBackground), "the one before it"),
    Row("add-background", .text("NAME") { .addBackground($0) }, "adds a background to the list and shows it"),
    Row("remove-background", .text("NAME") { .removeBackground($0) }, "removes a background from the list"),
    Row("look", .text("NAME") { .look($0) }, "another look"),
    Row("next-look", .none(.nextLook), "changes to the next look"),
    Row("previous-look", .none(.previousLook), "changes to the look before it"),
    Row("set", .value { .set($0, $1) }, "sets a parameter of the look or of the session"),
    Row("reset", .text("NAME") { .reset($0) }, "resets a parameter"),
    Row("mirror", .toggle { .mirror($0) }, "mirrors the picture"),
    Row("freeze", .toggle { .freeze($0) }, "freezes the picture"),
    Row("standby", .toggle { .standby($0) }, "shows the standby frame immediately"),
    Row("pause", .toggle { .pause($0) }, "stops the camera, and shows the standby frame"),
    Row("show-room", .toggle { .showRealBackground($0) }, "allows looks to show the room to others"),
    Row("camera", .text("ADDRESS") { .camera($0) }, "another camera"),
    Row("snapshot", .text("FILE") { .snapshot($0) }, "saves a photo with depth, matte and calibration: .heic or .jpg"),
    Row("record", .files { .record($0, raw: $1) }, "records a video; RAW also records depth"),
    Row("stop-recording", .none(.stopRecording), "stops recording"),
    Row("status", .none(.status), "prints the state"),
    Row("quit", .none(.quit), "ends the session"),
  ]

  private static func row(_ name: String) throws(BackdropError) -> Row {
    guard let row = rows.first(where: { $0.name == name }) else {
      throw BackdropError(.wrongArgument, "there is no command '\(name)'", hint: known(name))
    }
    return row
  }

  private static func known(_ word: String) -> Hint { .known(rows.map(\.name), insteadOf: word) }

  /// Every command's name, its argument as help texts show it, and a summary.
  package static var usages: [(name: String, argument: String, summary: String)] {
    rows.map { ($0.name, $0.argument.form.usage, $0.summary) }
  }

  /// Parses a list of words, as after `backdrop ctl`.
  package init(words: [String]) throws(BackdropError) {
    guard let name = words.first else {
      throw BackdropError(.wrongArgument, "you gave no command", hint: Self.known(""))
    }
    let row = try Self.row(name)
    let rest = Array(words.dropFirst())
    let most = row.argument.form.count
    guard rest.count <= most else { throw row.refusal(most == 0 ? "takes no value" : "does not take '\(rest[most])'") }
    switch row.argument {
    case .toggle:
      let on = try rest.first.map { (word) throws(BackdropError) in
        guard let known = ["on": true, "off": false][word] else {
          throw BackdropError(
            .wrongArgument, "'\(word)' is neither on nor off", hint: "write on or off, or leave it out to switch")
        }
        return known
      }
      try self.init(row, nil, value: on.map { .toggle($0) })
    case .value:
      guard rest.count == 2 else { throw row.refusal("needs a name and a value") }
      guard let value = try Self.value(rest[0], rest[1]) else {
        self = .reset(rest[0])
        return
      }
      try self.init(row, rest[0], value: value)
    case .none, .text, .files:
      try self.init(row, rest.first, raw: rest.count == 2 ? rest[1] : nil)
    }
  }

  /// The value of a parameter in a text; `nil` for the default.
  private static func value(_ name: String, _ text: String) throws(BackdropError) -> ParameterValue? {
    if let number = Double(text) { return .number(number) }
    guard let own = LiveSettings.parameters[name] else {
      throw BackdropError(.wrongArgument, "\(name) '\(text)' is not a number", hint: "write: set radius 8")
    }
    return try own.value(parsing: text)
  }

  /// - Parameters:
  ///   - text: the text, or the name of the parameter.
  ///   - value: the parameter's value, or the toggle.
  private init(_ row: Row, _ text: String?, value: ParameterValue? = nil, raw: String? = nil) throws(BackdropError) {
    func needed() throws(BackdropError) -> String {
      guard let text, !text.isEmpty else { throw row.refusal("needs a value") }
      return text
    }
    switch row.argument {
    case .none(let command): self = command
    case .text(_, let make): self = make(try needed())
    case .toggle(let make): self = make(value?.isOn)
    case .value(let make):
      guard let value, value.number?.isFinite ?? true else { throw row.refusal("needs a name and a value") }
      self = make(try needed(), value)
    case .files(let make): self = make(try needed(), raw)
    }
  }

  /// Reads `{"do": …}`; commands about a parameter have `name`, and commands with an argument have `value`.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let row = try Self.row(try values.decode(String.self, forKey: .do))
    let name = try values.decodeIfPresent(String.self, forKey: .name)
    let raw = try values.decodeIfPresent(String.self, forKey: .raw)
    let value = try values.decodeIfPresent(ParameterValue.self, forKey: .value)
    switch (row.argument, value) {
    case (.value, _), (_, .toggle), (_, nil): try self.init(row, name, value: value, raw: raw)
    case (_, .number): throw row.refusal("does not take a number")
    case (_, .text(let text)): try self.init(row, text, raw: raw)
    }
  }

  /// Writes what ``init(from:)`` reads.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    func write(
      _ command: String, value: (some Encodable)? = String?.none, name: String? = nil, raw: String? = nil
    ) throws {
      try values.encode(command, forKey: .do)
      try values.encodeIfPresent(value, forKey: .value)
      try values.encodeIfPresent(name, forKey: .name)
      try values.encodeIfPresent(raw, forKey: .raw)
    }
    switch self {
    case .background(let text): try write("background", value: text)
    case .nextBackground: try write("next-background")
    case .previousBackground: try write("previous-background")
    case .addBackground(let text): try write("add-background", value: text)
    case .removeBackground(let text): try write("remove-background", value: text)
    case .look(let text): try write("look", value: text)
    case .nextLook: try write("next-look")
    case .previousLook: try write("previous-look")
    case .set(let parameter, let value): try write("set", value: value, name: parameter)
    case .reset(let parameter): try write("reset", name: parameter)
    case .mirror(let on): try write("mirror", value: on)
    case .freeze(let on): try write("freeze", value: on)
    case .standby(let on): try write("standby", value: on)
    case .pause(let on): try write("pause", value: on)
    case .showRealBackground(let on): try write("show-room", value: on)
    case .camera(let text): try write("camera", value: text)
    case .snapshot(let text): try write("snapshot", value: text)
    case .record(let path, let raw): try write("record", value: path, raw: raw)
    case .stopRecording: try write("stop-recording")
    case .status: try write("status")
    case .quit: try write("quit")
    }
  }

  /// Parses a line of JSON.
  package init(json: some Collection<UInt8>) throws(BackdropError) {
    do {
      self = try JSONReader.decode(LiveCommand.self, from: Array(json))
    } catch {
      throw error as? BackdropError
        ?? BackdropError(.badData, "this is not a command", hint: "write a line such as {\"do\": \"status\"}")
    }
  }
}
