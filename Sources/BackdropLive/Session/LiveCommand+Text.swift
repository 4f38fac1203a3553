import BackdropImaging
import Foundation

extension LiveCommand: Codable {
  private enum Key: String, CodingKey, CaseIterable { case `do`, to, value, on, raw }

  /// Every name, and what follows it as a person writes it.
  public static let usages: [(name: String, argument: String, summary: String)] = [
    ("background", "NAME", "another background: a picture, a video, #RRGGBB, blur, scene:NAME"),
    ("next-background", "", "the next one of the list"),
    ("previous-background", "", "the one before it"),
    ("add-background", "NAME", "adds one to the list and shows it"),
    ("look", "NAME", "another look"),
    ("next-look", "", "the next look"),
    ("previous-look", "", "the look before it"),
    ("set", "NAME VALUE", "sets a parameter of the look, or refine, smooth, light-wrap, matte-rate"),
    ("reset", "NAME", "puts a parameter back"),
    ("mirror", "[on|off]", "swaps left and right"),
    ("freeze", "[on|off]", "holds the picture"),
    ("panic", "[on|off]", "shows the still card at once"),
    ("pause", "[on|off]", "stops the camera, and shows the still card"),
    ("camera", "ADDRESS", "another camera"),
    ("snapshot", "FILE", "a photo with depth, matte and calibration: .heic or .jpg"),
    ("record", "FILE [RAW]", "starts a video; RAW is a recording with depth"),
    ("stop-recording", "", "ends the video"),
    ("status", "", "how it does"),
    ("quit", "", "ends the session"),
  ]

  /// The name in JSON and on the command line.
  public var name: String {
    switch self {
    case .background: "background"
    case .nextBackground: "next-background"
    case .previousBackground: "previous-background"
    case .addBackground: "add-background"
    case .look: "look"
    case .nextLook: "next-look"
    case .previousLook: "previous-look"
    case .set: "set"
    case .reset: "reset"
    case .mirror: "mirror"
    case .freeze: "freeze"
    case .panic: "panic"
    case .pause: "pause"
    case .camera: "camera"
    case .snapshot: "snapshot"
    case .record: "record"
    case .stopRecording: "stop-recording"
    case .status: "status"
    case .quit: "quit"
    }
  }

  /// The command that words make, as after `backdrop ctl`.
  ///
  /// - Throws: `wrongArgument` for anything that is none.
  public init(words: [String]) throws(BackdropError) {
    guard let name = words.first else {
      throw BackdropError(.wrongArgument, "no command is given", hint: Self.known)
    }
    let rest = Array(words.dropFirst())
    let most = name == "set" || name == "record" ? 2 : 1
    guard rest.count <= most else {
      throw BackdropError(
        .wrongArgument, "'\(rest[most])' is too much for \(name)", hint: "write \(Self.usage(name))")
    }
    var on: Bool?
    var value: Double?
    if ["mirror", "freeze", "panic", "pause"].contains(name), let word = rest.first {
      guard let known = ["on": true, "off": false][word] else {
        throw BackdropError(.wrongArgument, "'\(word)' is neither on nor off", hint: "without either it changes")
      }
      on = known
    }
    if name == "set" {
      guard rest.count == 2, let number = Double(rest[1]) else {
        throw BackdropError(.wrongArgument, "set needs a name and a number", hint: "write: set radius 8")
      }
      value = number
    }
    try self.init(
      name, to: rest.first, value: value, on: on, raw: name == "record" && rest.count == 2 ? rest[1] : nil, rest)
  }

  private init(
    _ name: String, to: String?, value: Double?, on: Bool?, raw: String?, _ words: [String]? = nil
  ) throws(BackdropError) {
    func needed() throws(BackdropError) -> String {
      guard let to, !to.isEmpty else {
        throw BackdropError(.wrongArgument, "\(name) needs more", hint: "write \(Self.usage(name))")
      }
      return to
    }
    switch name {
    case "background": self = .background(try needed())
    case "next-background": self = .nextBackground
    case "previous-background": self = .previousBackground
    case "add-background": self = .addBackground(try needed())
    case "look": self = .look(try needed())
    case "next-look": self = .nextLook
    case "previous-look": self = .previousLook
    case "set":
      guard let value, value.isFinite else {
        throw BackdropError(.wrongArgument, "set needs a name and a number", hint: "write \(Self.usage(name))")
      }
      self = .set(try needed(), value)
    case "reset": self = .reset(try needed())
    case "mirror": self = .mirror(on)
    case "freeze": self = .freeze(on)
    case "panic": self = .panic(on)
    case "pause": self = .pause(on)
    case "camera": self = .camera(try needed())
    case "snapshot": self = .snapshot(try needed())
    case "record": self = .record(try needed(), raw: raw)
    case "stop-recording": self = .stopRecording
    case "status": self = .status
    case "quit": self = .quit
    default:
      throw BackdropError(.wrongArgument, "there is no command '\(name)'", hint: Self.known)
    }
    let takesNothing = Self.usages.first { $0.name == name }?.argument.isEmpty ?? true
    guard !takesNothing || (words ?? []).isEmpty else {
      throw BackdropError(.wrongArgument, "\(name) takes nothing more", hint: "write \(name) alone")
    }
  }

  private static var known: String { "there are " + usages.map(\.name).joined(separator: ", ") }

  private static func usage(_ name: String) -> String {
    name + (usages.first { $0.name == name }.map { $0.argument.isEmpty ? "" : " " + $0.argument } ?? "")
  }

  /// Reads `{"do": …}`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    try self.init(
      try values.decode(String.self, forKey: .do), to: try values.decodeIfPresent(String.self, forKey: .to),
      value: try values.decodeIfPresent(Double.self, forKey: .value),
      on: try values.decodeIfPresent(Bool.self, forKey: .on),
      raw: try values.decodeIfPresent(String.self, forKey: .raw))
  }

  /// Writes what ``init(from:)`` reads.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(name, forKey: .do)
    switch self {
    case .background(let to), .addBackground(let to), .look(let to), .reset(let to), .camera(let to), .snapshot(let to):
      try values.encode(to, forKey: .to)
    case .set(let to, let value):
      try values.encode(to, forKey: .to)
      try values.encode(value, forKey: .value)
    case .mirror(let on), .freeze(let on), .panic(let on), .pause(let on): try values.encodeIfPresent(on, forKey: .on)
    case .record(let to, let raw):
      try values.encode(to, forKey: .to)
      try values.encodeIfPresent(raw, forKey: .raw)
    case .nextBackground, .previousBackground, .nextLook, .previousLook, .stopRecording, .status, .quit: break
    }
  }

  /// The command that a line of JSON makes.
  ///
  /// - Throws: `badData` for anything else.
  public init(json: some Collection<UInt8>) throws(BackdropError) {
    do {
      self = try JSONDecoder().decode(LiveCommand.self, from: Data(json))
    } catch let error as BackdropError {
      throw error
    } catch {
      throw BackdropError(.badData, "this is not a command", hint: "write a line such as {\"do\": \"status\"}")
    }
  }
}
