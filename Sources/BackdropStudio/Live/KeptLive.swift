import Backdrop
import BackdropImaging
import BackdropLive

/// Settings of the live picture under a name.
struct LivePreset: Codable, Equatable, Sendable {
  /// Presets at most, and letters of a name.
  static let maximumCount = 40, maximumName = 60

  var name: String
  var look: String
  var parameters: [String: Double]
  var background: String
  /// What is set of the session, but for what belongs to the camera, to the outputs and to who may see the real background.
  var settings: [String: ParameterValue]

  init(_ name: String, _ live: LiveSettings) {
    self.name = name
    (look, parameters, background) = (live.look, live.parameters, live.background)
    let known = Set(Self.parameters.map(\.name))
    settings = LiveSettings.parameters.values(of: live).filter { known.contains($0.key) }
  }

  private static var parameters: [Parameter] {
    LiveSettings.parameters.parameters.filter { parameter in
      if case .file = parameter.kind { return false }
      return !parameter.isFixedAtStart && ![.camera, .output].contains(parameter.group) && parameter.name != "show-room"
    }
  }

  /// What has to be asked of a session to have it; what the preset does not name is put back.
  var commands: [LiveCommand] {
    [.look(look)] + parameters.sorted { $0.key < $1.key }.map { .set($0.key, .number($0.value)) }
      + Self.parameters.map { parameter in
        settings[parameter.name].map { .set(parameter.name, $0) } ?? .reset(parameter.name)
      }
      + [.background(background)]
  }
}

/// The state that the live workspace keeps from one start to the next.
struct KeptLive: Codable, Equatable, Sendable {
  var settings: LiveSettings
  /// What files were called where they came from, by where they are.
  var titles: [String: String]
  var presets: [LivePreset]
  /// Whether a person has chosen the camera.
  var hasChosen: Bool

  /// What a studio begins with: what was set, but for what it was started with.
  func begin(_ options: StudioOptions) -> LiveSettings {
    var result = settings
    let (given, usual) = (options.live, LiveSettings())
    (result.request, result.cameraName, result.outputs) = (given.request, given.cameraName, given.outputs)
    if given.microphone { result.microphone = true }
    // A person allows that anew each time.
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

  /// The same without what nobody else may read: an address with a password in it.
  var withoutSecrets: KeptLive {
    guard settings.camera.contains("@") else { return self }
    var result = self
    (result.settings.camera, result.hasChosen) = (LiveSettings().camera, false)
    return result
  }
}
