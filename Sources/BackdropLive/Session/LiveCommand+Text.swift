import BackdropImaging

extension LiveCommand: Codable {
  private enum Key: String, CodingKey { case `do`, name, value, raw }

  /// Every command's name, its argument as help texts show it, and a summary.
  public static let usages: [(name: String, argument: String, summary: String)] = [
    ("background", "NAME", "changes the background: a picture, a video, #RRGGBB, blur, scene:NAME"),
    ("next-background", "", "changes to the next background in the list"),
    ("previous-background", "", "the one before it"),
    ("add-background", "NAME", "adds a background to the list and shows it"),
    ("remove-background", "NAME", "removes a background from the list"),
    ("look", "NAME", "another look"),
    ("next-look", "", "changes to the next look"),
    ("previous-look", "", "changes to the look before it"),
    ("set", "NAME VALUE", "sets a parameter of the look or of the session"),
    ("reset", "NAME", "resets a parameter"),
    ("mirror", "[on|off]", "mirrors the picture"),
    ("freeze", "[on|off]", "freezes the picture"),
    ("standby", "[on|off]", "shows the standby frame immediately"),
    ("pause", "[on|off]", "stops the camera, and shows the standby frame"),
    ("show-room", "[on|off]", "allows looks to show the room to others"),
    ("camera", "ADDRESS", "another camera"),
    ("snapshot", "FILE", "saves a photo with depth, matte and calibration: .heic or .jpg"),
    ("record", "FILE [RAW]", "records a video; RAW also records depth"),
    ("stop-recording", "", "stops recording"),
    ("status", "", "prints the state"),
    ("quit", "", "ends the session"),
  ]

  /// The name in JSON and on the command line.
  public var name: String {
    switch self {
    case .background: "background"
    case .nextBackground: "next-background"
    case .previousBackground: "previous-background"
    case .addBackground: "add-background"
    case .removeBackground: "remove-background"
    case .look: "look"
    case .nextLook: "next-look"
    case .previousLook: "previous-look"
    case .set: "set"
    case .reset: "reset"
    case .mirror: "mirror"
    case .freeze: "freeze"
    case .standby: "standby"
    case .showRealBackground: "show-room"
    case .pause: "pause"
    case .camera: "camera"
    case .snapshot: "snapshot"
    case .record: "record"
    case .stopRecording: "stop-recording"
    case .status: "status"
    case .quit: "quit"
    }
  }

  /// Parses a list of words, as after `backdrop ctl`.
  ///
  /// - Throws: `wrongArgument` for words that are not a command.
  public init(words: [String]) throws(BackdropError) {
    guard let name = words.first else {
      throw BackdropError(.wrongArgument, "you gave no command", hint: Self.known(""))
    }
    let rest = Array(words.dropFirst())
    let most = name == "set" || name == "record" ? 2 : 1
    guard rest.count <= most else {
      throw BackdropError(
        .wrongArgument, "'\(name)' does not take '\(rest[most])'", hint: "write \(Self.usage(name))")
    }
    var on: Bool?
    var value: ParameterValue?
    if Self.switches.contains(name), let word = rest.first {
      guard let known = ["on": true, "off": false][word] else {
        throw BackdropError(
          .wrongArgument, "'\(word)' is neither on nor off", hint: "write on or off, or leave it out to switch")
      }
      on = known
    }
    if name == "set" {
      guard rest.count == 2 else {
        throw BackdropError(.wrongArgument, "set needs a name and a value", hint: "write: set radius 8")
      }
      if let number = Double(rest[1]) {
        value = .number(number)
      } else if let own = LiveSettings.parameters[rest[0]] {
        value = try own.value(parsing: rest[1])
        if value == nil {
          self = .reset(rest[0])
          return
        }
      } else {
        throw BackdropError(.wrongArgument, "\(rest[0]) '\(rest[1])' is not a number", hint: "write: set radius 8")
      }
    }
    try self.init(
      name, to: rest.first, value: value, on: on, raw: name == "record" && rest.count == 2 ? rest[1] : nil, rest)
  }

  private init(
    _ name: String, to: String?, value: ParameterValue?, on: Bool?, raw: String?, _ words: [String]? = nil
  ) throws(BackdropError) {
    func needed() throws(BackdropError) -> String {
      guard let to, !to.isEmpty else {
        throw BackdropError(.wrongArgument, "\(name) needs a value", hint: "write \(Self.usage(name))")
      }
      return to
    }
    switch name {
    case "background": self = .background(try needed())
    case "next-background": self = .nextBackground
    case "previous-background": self = .previousBackground
    case "add-background": self = .addBackground(try needed())
    case "remove-background": self = .removeBackground(try needed())
    case "look": self = .look(try needed())
    case "next-look": self = .nextLook
    case "previous-look": self = .previousLook
    case "set":
      guard let value, value.number?.isFinite ?? true else {
        throw BackdropError(.wrongArgument, "set needs a name and a value", hint: "write \(Self.usage(name))")
      }
      self = .set(try needed(), value)
    case "reset": self = .reset(try needed())
    case "mirror": self = .mirror(on)
    case "freeze": self = .freeze(on)
    case "standby": self = .standby(on)
    case "show-room": self = .showRealBackground(on)
    case "pause": self = .pause(on)
    case "camera": self = .camera(try needed())
    case "snapshot": self = .snapshot(try needed())
    case "record": self = .record(try needed(), raw: raw)
    case "stop-recording": self = .stopRecording
    case "status": self = .status
    case "quit": self = .quit
    default:
      throw BackdropError(.wrongArgument, "there is no command '\(name)'", hint: Self.known(name))
    }
    let takesNothing = Self.usages.first { $0.name == name }?.argument.isEmpty ?? true
    guard !takesNothing || (words ?? []).isEmpty else {
      throw BackdropError(.wrongArgument, "\(name) takes no value", hint: "write only \(name)")
    }
  }

  private static let switches: Set = ["mirror", "freeze", "standby", "show-room", "pause"]
  private static func known(_ word: String) -> Remedy { .known(usages.map(\.name), insteadOf: word) }

  private static func usage(_ name: String) -> String {
    name + (usages.first { $0.name == name }.map { $0.argument.isEmpty ? "" : " " + $0.argument } ?? "")
  }

  /// Reads `{"do": …}`; commands about a parameter have `name`, and commands with an argument have `value`.
  ///
  /// - Throws: `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let command = try values.decode(String.self, forKey: .do)
    let name = try values.decodeIfPresent(String.self, forKey: .name)
    let raw = try values.decodeIfPresent(String.self, forKey: .raw)
    let value = try values.decodeIfPresent(ParameterValue.self, forKey: .value)
    guard command != "set" else {
      try self.init(command, to: name, value: value, on: nil, raw: nil)
      return
    }
    switch value {
    case .toggle(let on): try self.init(command, to: name, value: nil, on: on, raw: raw)
    case .number:
      throw BackdropError(.wrongArgument, "\(command) does not take a number", hint: "write \(Self.usage(command))")
    case .text(let text): try self.init(command, to: text, value: nil, on: nil, raw: raw)
    case nil: try self.init(command, to: name, value: nil, on: nil, raw: raw)
    }
  }

  /// Writes what ``init(from:)`` reads.
  ///
  /// - Throws: the errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(name, forKey: .do)
    switch self {
    case .background(let text), .addBackground(let text), .removeBackground(let text), .look(let text),
      .camera(let text), .snapshot(let text):
      try values.encode(text, forKey: .value)
    case .set(let parameter, let value):
      try values.encode(parameter, forKey: .name)
      try values.encode(value, forKey: .value)
    case .reset(let parameter): try values.encode(parameter, forKey: .name)
    case .mirror(let on), .freeze(let on), .standby(let on), .showRealBackground(let on), .pause(let on):
      try values.encodeIfPresent(on, forKey: .value)
    case .record(let path, let raw):
      try values.encode(path, forKey: .value)
      try values.encodeIfPresent(raw, forKey: .raw)
    case .nextBackground, .previousBackground, .nextLook, .previousLook, .stopRecording, .status, .quit: break
    }
  }

  /// Parses a line of JSON.
  ///
  /// - Throws: `badData` for anything else.
  public init(json: some Collection<UInt8>) throws(BackdropError) {
    do {
      self = try JSONReader.decode(LiveCommand.self, from: Array(json))
    } catch let error as BackdropError {
      throw error
    } catch {
      throw BackdropError(.badData, "this is not a command", hint: "write a line such as {\"do\": \"status\"}")
    }
  }
}
