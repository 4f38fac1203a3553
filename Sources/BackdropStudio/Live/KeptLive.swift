import Backdrop
import BackdropLive

/// Named settings of the live picture.
struct LivePreset: Codable, Equatable, Sendable {
  /// The maximum number of presets, and the maximum length of a name in characters.
  static let maximumCount = 40, maximumName = 60

  var name: String
  var look: String
  var parameters: [String: Double]
  var background: String
  /// The session's settings, except those of the camera, of the outputs and of access to the real background.
  var settings: [String: ParameterValue]

  init(_ name: String, _ live: LiveSettings) {
    self.name = name
    (look, parameters, background) = (live.look, live.values, live.background)
    let known = Set(Self.parameters.map(\.name))
    settings = LiveSettings.parameters.values(of: live).filter { known.contains($0.key) }
  }

  private static var parameters: [Parameter] {
    LiveSettings.parameters.parameters.filter { parameter in
      if case .file = parameter.kind { return false }
      return !parameter.isFixedAtStart && ![.camera, .output].contains(parameter.group) && parameter.name != "show-room"
    }
  }

  /// The commands that apply it to a session; settings missing from the preset return to their defaults.
  var commands: [LiveCommand] {
    [.look(look)] + parameters.sorted { $0.key < $1.key }.map { .set($0.key, .number($0.value)) }
      + Self.parameters.map { parameter in
        settings[parameter.name].map { .set(parameter.name, $0) } ?? .reset(parameter.name)
      }
      + [.background(background)]
  }
}

/// The state of the live workspace that survives a restart.
struct KeptLive: Codable, Equatable, Sendable {
  var settings: LiveSettings
  /// The original names of files, by their paths.
  var titles: [String: String]
  var presets: [LivePreset]
  /// Whether the user has chosen the camera.
  var hasChosen: Bool

  /// The settings at the start of a studio: the saved ones, overridden by the start options.
  func begin(_ options: StudioOptions) -> LiveSettings {
    var result = settings
    let (given, usual) = (options.live, LiveSettings())
    (result.request, result.cameraName, result.outputs) = (given.request, given.cameraName, given.outputs)
    if given.microphone { result.microphone = true }
    // The user must allow this again at each start.
    result.showsRealBackground = given.showsRealBackground
    if !options.asksForCamera || !hasChosen { result.camera = given.camera }
    result.backgrounds.removeAll { $0.hasPrefix("/") && FileKind($0) != .file }
    if result.backgrounds.isEmpty { result.backgrounds = usual.backgrounds }
    if given.background != usual.background || result.background.hasPrefix("/") && FileKind(result.background) != .file
    {
      result.background = given.background
    }
    if result.camera.hasPrefix("/"), FileKind(result.camera) == .absent { result.camera = given.camera }
    return result
  }

  /// A copy without secrets, such as a camera address with a password.
  var withoutSecrets: KeptLive {
    guard settings.camera.contains("@") else { return self }
    var result = self
    (result.settings.camera, result.hasChosen) = (LiveSettings().camera, false)
    return result
  }
}
