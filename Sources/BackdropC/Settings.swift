import Backdrop
import CBackdrop

/// Everything that can be chosen by name of how scenes are analyzed and drawn, for sessions and jobs.
struct Settings: Parameterized {
  /// Whose eyes the pictures are for.
  enum Audience: String, ParameterChoice {
    case others
    case oneself = "self"

    var summary: String {
      switch self {
      case .others: "other people: Backdrop shows the standby frame instead of pictures that would show the room"
      case .oneself: "your own files: Backdrop draws every picture"
      }
    }
  }

  var look = "backdrop"
  /// The values of the look's parameters.
  var values: [String: Double] = [:]
  var background: String?
  var standby: String?
  var audience: Audience?
  var showsRealBackground = false
  var plan = Job.Plan()

  static let parameters: ParameterTable<Self> =
    [
      .look: [.text("look", "A look's name, or a JSON file of your own", \.look)],
      .background: [
        .text(
          "background",
          "The new background: a colour, blur, bokeh, scene:NAME, a picture or video file, or none for transparency",
          \.background, automatic: "black"),
        .file(
          "standby", "The picture that others see while there is no good matte", \.standby, of: "a picture",
          automatic: "the background"
        ).titled("Standby picture"),
        .choice("audience", "Who sees the pictures", \.audience, automatic: "others for streams, else self"),
        .toggle(
          "show-room",
          "Allow others to see the room, through looks that show it (portrait, noir) or through a weak blur",
          \.showsRealBackground),
      ],
    ] + Job.Plan.parameters.excluding("aspect").lifted(to: \.plan)

  /// The look of that name.
  func loadedLook() throws(BackdropError) -> Look { try Look.load(look) }

  /// Sets something by name; `nil` puts it back to its default. The look's parameters come first, where one has the name of a setting.
  ///
  /// - Throws: `wrongArgument` for a name that there is not, and a value that it cannot have.
  mutating func set(_ name: String, to value: String?, _ loaded: Look) throws(BackdropError) {
    guard let parameter = loaded.parameters.first(where: { $0.name == name }) else {
      return try setOwn(name, value, loaded)
    }
    values[name] = try value.map { (text) throws(BackdropError) in try parameter.value(parsing: text) }??.number
  }

  private mutating func setOwn(_ name: String, _ value: String?, _ loaded: Look) throws(BackdropError) {
    guard Self.parameters[name] != nil else {
      throw BackdropError(
        .wrongArgument, "there is no parameter '\(name)'",
        hint: .known(loaded.parameters.map(\.name) + Self.parameters.parameters.map(\.name), insteadOf: name))
    }
    try Self.parameters.set(name, parsing: value, in: &self)
    // Another look has parameters of its own.
    if name == "look" { values = [:] }
  }

  /// The settings that a caller's options say: the look first, wherever it stands.
  ///
  /// - Parameter others: takes what is no setting; whether it was something of its own.
  /// - Throws: as ``set(_:to:_:)``.
  init(
    _ options: [(name: String, value: String?)],
    others: (String, String?) throws(BackdropError) -> Bool = { (_, _) throws(BackdropError) in false }
  ) throws(BackdropError) {
    self.init()
    for option in options where option.name == "look" { try setOwn("look", option.value, .backdrop) }
    let loaded = try loadedLook()
    for option in options where option.name != "look" {
      let isOfLook = loaded.parameters.contains { $0.name == option.name }
      if !isOfLook, try others(option.name, option.value) { continue }
      try set(option.name, to: option.value, loaded)
    }
  }

  init() {}

  /// How pictures are analyzed and drawn, but for the background and the standby picture.
  func streamSettings(_ look: Look) -> StreamSettings {
    var settings = StreamSettings(look)
    (settings.values, settings.analysis, settings.drawing) = (values, plan.analysis, plan.drawing)
    settings.audience = audience.map { $0 == .others ? .others : .oneself }
    settings.showsRealBackground = showsRealBackground
    return settings
  }
}

extension Parameterized {
  /// Takes a caller's option, `nil` for its default; whether it is one of these.
  ///
  /// - Throws: `wrongArgument` for a value that it cannot have.
  mutating func take(_ name: String, _ value: String?) throws(BackdropError) -> Bool {
    guard Self.parameters[name] != nil else { return false }
    try Self.parameters.set(name, parsing: value, in: &self)
    return true
  }
}

/// A caller's options.
///
/// - Throws: `wrongArgument` for missing names.
func namedOptions(_ pointer: UnsafePointer<bd_option>?, _ count: Int) throws(BackdropError) -> [(
  name: String, value: String?
)] {
  guard count > 0 else { return [] }
  guard let pointer, count <= 1000 else {
    throw BackdropError(
      .wrongArgument, "the count says \(count) options, but the list is NULL", hint: "pass a name and a value for each")
  }
  var result: [(name: String, value: String?)] = []
  for index in 0..<count {
    result.append(
      (try text(pointer[index].name, "name of option \(index + 1)"), pointer[index].value.map { FilePath.text($0) }))
  }
  return result
}
