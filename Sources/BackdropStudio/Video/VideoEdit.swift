import Backdrop

/// The edit of a video: its clip, its look, its background.
struct VideoEdit: Codable, Sendable {
  /// Values of the look's parameters, and the background, at one time.
  struct Key: Codable, Sendable {
    /// Seconds from the start of the clip.
    var seconds: Double
    var values: [String: Double]
    /// The name of the background; `nil` for no change.
    var background: String?
  }

  var look = "backdrop"
  /// The values of constant parameters.
  var values: [String: Double] = [:]
  /// The values of animated parameters, by time.
  var keys: [Key] = []
  /// The background's name; `none` for a transparent one.
  var background = "scene:northern"
  /// The start of the clip, in seconds of the video.
  var start = 0.0
  /// The end of the clip, in seconds of the video; `nil` for the video's end.
  var end: Double?

  func part() throws(BackdropError) -> VideoPart {
    var part = VideoPart()
    guard start.isFinite, start >= 0, start <= 1e6, end.map({ $0.isFinite && $0 > start && $0 <= 1e6 }) ?? true else {
      throw BackdropError(.wrongArgument, "the clip ends before it begins", hint: "drag its ends apart")
    }
    if start > 0 { part.start = TimeInVideo(seconds: start) }
    if let end { part.duration = TimeInVideo(seconds: end - start) }
    return part
  }

  /// The job plan of the edit, without outputs.
  func plan() throws(BackdropError) -> Job.Plan {
    let look = try Look.ofPage(look)
    var plan = Job.Plan(look)
    var moving: [String: [Keyframes.Key]] = [:]
    for key in keys.prefix(Keyframes.maximumCount) {
      for (name, value) in key.values { moving[name, default: []].append(.init(seconds: key.seconds, value: value)) }
    }
    for (name, keys) in moving { plan.keyframes[name] = try Keyframes(keys) }
    plan.values = values.filter { plan.keyframes[$0.key] == nil }
    for seconds in [0] + keys.map(\.seconds) { _ = try look.settings(plan.lookValues(at: seconds)) }
    if look.hasBackground { plan.background = try choice() }
    return plan
  }

  private func choice() throws(BackdropError) -> BackgroundChoice {
    var moving: [BackgroundKeyframes.Key] = []
    for key in keys.prefix(BackgroundKeyframes.maximumCount) {
      guard let background = key.background else { continue }
      moving.append(BackgroundKeyframes.Key(seconds: key.seconds, value: try BackgroundChoice(single: background)))
    }
    return moving.isEmpty ? try BackgroundChoice(single: background) : .keyframes(try BackgroundKeyframes(moving))
  }

  /// A text that identifies the backgrounds and their times.
  var backgroundText: String {
    keys.reduce(background) { $1.background == nil ? $0 : "\($0) \($1.background ?? "")@\($1.seconds)" }
  }

  var backgrounds: [String] { [background] + keys.compactMap(\.background) }
}

struct ExportRequest: Codable, Sendable {
  enum Form: String, Codable, Sendable {
    case mp4, webm, mov, gif
  }

  var edit: VideoEdit
  var form: Form
  /// The shorter side in pixels; `nil` for the video's.
  var side: Int?
  /// Whether to copy its sound and subtitles; `nil` means yes.
  var sound: Bool?

  /// The part of the video at the requested size.
  func part(width: Int, height: Int) throws(BackdropError) -> VideoPart {
    var part = try edit.part()
    guard let side else { return part }
    guard (64...4096).contains(side) else {
      throw BackdropError(.wrongArgument, "a video cannot have \(side) lines", hint: "use 64 to 4096 lines")
    }
    let scale = Double(side) / Double(min(width, height))
    if scale < 1 { part.size = FrameSize(even: width, height, scale: scale) }
    return part
  }
}

extension FrameSize {
  /// A scaled size with even sides, each of 64 to 4096 pixels.
  init(even width: Int, _ height: Int, scale: Double) {
    func even(_ side: Int) -> Int { min(4096, max(64, Int((Double(side) * scale / 2).rounded()) * 2)) }
    self.init(width: even(width), height: even(height))
  }
}
