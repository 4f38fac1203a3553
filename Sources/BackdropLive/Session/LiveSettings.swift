import Backdrop

/// All settings of a live session that a user can change; the content of a configuration file.
@dynamicMemberLookup
package struct LiveSettings: Sendable, Equatable {
  /// How a picture fits a frame of another shape.
  package enum Fit: String, Sendable, Codable, CaseIterable {
    /// Fill the frame; parts outside are cut off.
    case crop
    /// Show the whole picture, with black bars.
    case fit
  }

  /// The camera: an address that ``/Backdrop/LiveInputs`` opens; `auto` for the first camera.
  package var camera = "auto"
  /// The requested size and rate of the camera, which the outputs also have.
  package var request = CameraRequest()
  /// The look's identifier or file.
  package var look = "backdrop"
  /// The background, in the notation of ``/Backdrop/BackgroundChoice``.
  package var background = "scene:northern"
  /// The list of backgrounds to switch between, in order; it need not contain ``background``.
  package var backgrounds: [String] = ["scene:northern", "scene:dunes", "scene:loft", "blur", "bokeh"]
  /// How to analyze and draw scenes: the values of the look's parameters, and the engine's. The look, the background and the standby picture
  /// are those of the names here, and the audience is others; the session sets them.
  package var stream = StreamSettings()
  /// A picture to show while there is no good matte; `nil` for the background alone.
  package var standby: String?
  package var mirror = false
  /// Quarter turns to the right, 0…3.
  package var turns = 0
  package var fit = Fit.crop
  /// Whether the visible part follows the face, with slow movements; see `AutoFraming`.
  package var followsFace = false
  /// The limit of processor use, in percent of one processor; `nil` for no limit.
  package var maxCPU: Double?
  /// Whether the camera runs even while no output has a viewer.
  package var alwaysOn = false
  /// Whether recordings have sound from this machine's microphone, which is on only during recordings.
  package var microphone = false
  /// The outputs: `pipewire`, `/dev/videoN` of v4l2loopback, `window`, `-` (YUV4MPEG2), `null`, or a video file.
  package var outputs = ["pipewire"]
  /// The virtual camera's name in call programs.
  package var cameraName = "Backdrop"

  package init() {}

  /// A member of the stream's settings, such as ``/Backdrop/StreamSettings/showsRealBackground``.
  package subscript<Value>(dynamicMember member: WritableKeyPath<StreamSettings, Value>) -> Value {
    get { stream[keyPath: member] }
    set { stream[keyPath: member] = newValue }
  }

  /// Whether all settings that a user can change are equal.
  package static func == (a: LiveSettings, b: LiveSettings) -> Bool {
    a.camera == b.camera && a.look == b.look && a.values == b.values && a.background == b.background
      && a.backgrounds == b.backgrounds && a.outputs == b.outputs
      && Self.parameters.values(of: a) == Self.parameters.values(of: b)
  }
}

extension LiveSettings: Parameterized {
  /// The parameters that flags, the settings file, `set` and the page change by name.
  package static let parameters: ParameterTable<Self> =
    [
      .camera: [
        .text("size", "Size of the camera's picture and the outputs", \.size).fixedAtStart,
        .number("fps", "Frames per second of the camera and the outputs", \.request.rate, in: 1...240).fixedAtStart,
        .toggle("mirror", "Swap left and right", \.mirror),
        .number("turn", "Rotate to the right, in quarter turns", \.turns, in: 0...3),
        .choice("fit", "Fit a picture of another shape", \.fit),
        .toggle("follow-face", "Keep the face in the middle of the picture, with slow movements", \.followsFace),
      ],
      .background: [
        .standbyPicture(\.standby),
        .showRoom(\.stream.showsRealBackground),
      ],
      .output: [
        .number(
          "max-cpu", "Limit on processor time, in percent of one processor", \.maxCPU, in: 1...6400, unit: "%",
          automatic: "no limit"),
        .toggle("always-on", "Run the camera even while no program uses it", \.alwaysOn),
        .toggle("microphone", "Record sound from this computer's microphone", \.microphone),
        .text("name", "The camera's name in call programs", \.cameraName).fixedAtStart,
      ],
    ] + AnalyzerOptions.parameters.excluding("subject", "touch-up").lifted(to: \.stream.analysis)
    + Renderer.Options.parameters.lifted(to: \.stream.drawing)

  private var size: FrameSize {
    get { FrameSize(width: request.width, height: request.height) }
    set { (request.width, request.height) = (newValue.width, newValue.height) }
  }
}

extension LiveSettings: Codable {
  private enum Key: String, CodingKey, CaseIterable { case camera, look, parameters, background, backgrounds, outputs }

  /// Reads an object of parameters by name, and the structured fields; missing ones have their defaults.
  package init(from decoder: any Decoder) throws {
    self = try Self.parameters.decode(from: decoder, besides: Key.allCases.map(\.rawValue))
    let fields = try decoder.container(keyedBy: Key.self)
    camera = try fields.decodeIfPresent(String.self, forKey: .camera) ?? camera
    look = try fields.decodeIfPresent(String.self, forKey: .look) ?? look
    stream.values = try fields.decodeIfPresent([String: Double].self, forKey: .parameters) ?? stream.values
    background = try fields.decodeIfPresent(String.self, forKey: .background) ?? background
    backgrounds = try fields.decodeIfPresent([String].self, forKey: .backgrounds) ?? backgrounds
    outputs = try fields.decodeIfPresent([String].self, forKey: .outputs) ?? outputs
  }

  /// Writes what ``init(from:)`` reads.
  package func encode(to encoder: any Encoder) throws {
    try Self.parameters.encode(self, to: encoder)
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(camera, forKey: .camera)
    try fields.encode(look, forKey: .look)
    try fields.encode(stream.values, forKey: .parameters)
    try fields.encode(background, forKey: .background)
    try fields.encode(backgrounds, forKey: .backgrounds)
    try fields.encode(outputs, forKey: .outputs)
  }
}

extension LiveSettings {
  /// Sets a parameter by its name during a session; `nil` resets it to its default. If the look and the session share a name, the look's
  /// parameter is set.
  mutating func set(_ name: String, to value: ParameterValue?, _ look: Look) throws(BackdropError) {
    let isOfLook = look.parameters.contains { $0.name == name }
    guard isOfLook || Self.parameters[name] == nil else {
      return try Self.parameters.set(name, to: value, in: &self, isRunning: true)
    }
    if let value, value.number == nil {
      throw BackdropError(.wrongArgument, "\(name) \(value) is not a number", hint: "give a number")
    }
    stream.values[name] = value?.number
  }

  /// Refuses settings that no session can use.
  func check(_ look: Look) throws(BackdropError) {
    try Self.parameters.check(self)
    try size.check()
    _ = try look.settings(stream.values)
    guard stream.analysis.quality != .best else {
      throw BackdropError(.wrongArgument, "the best quality is too slow for a live camera", hint: .chooseLiveQuality)
    }
    guard try !BackgroundChoice(single: background).isTransparent else {
      throw BackdropError(
        .wrongArgument, "a live picture needs a background", hint: "give a picture, a video, a colour or a blur")
    }
  }
}

extension LiveSettings.Fit: ParameterChoice {
  package var summary: String {
    switch self {
    case .crop: "fill the frame and crop the rest"
    case .fit: "show the whole picture with black bars"
    }
  }
}
