/// The backgrounds of a video at given times. Pictures, colours, scenes and videos fade, and a blur grows or shrinks. Two at one time make
/// a cut.
///
///     plan.background = .keyframes(try BackgroundKeyframes("scene:dunes@0,scene:northern@3.5"))
public typealias BackgroundKeyframes = KeyframeList<BackgroundChoice>

extension KeyframeList where Value == BackgroundChoice {
  /// The maximum number of keys: each is in memory at the frame's size.
  public static var maximumCount: Int { 16 }

  /// Sorts keys by time.
  ///
  /// - Throws: `wrongArgument` for no keys, too many, three at one time, a time that is negative or not a number, a transparent background,
  ///   or a blurred real background beside another kind.
  public init(_ keys: [Key]) throws(BackdropError) {
    try self.init(sorting: keys, maximum: Self.maximumCount, atOnce: 2)
    guard !keys.contains(where: \.value.isTransparent) else {
      throw BackdropError(
        .wrongArgument, "you cannot fade to or from an empty background", hint: "give a picture, a colour or a scene")
    }
    guard Set(keys.map(\.value.blurKind)).count == 1 else {
      throw BackdropError(
        .wrongArgument, "a blurred room fades only into another blur", hint: "use blurs only, or no blur")
    }
  }

  /// Parses `BACKGROUND@TIME,BACKGROUND@TIME`: backgrounds in the usual notation, and times as ``TimeInVideo`` parses them.
  ///
  /// - Returns: `nil` for a text of another form.
  /// - Throws: the errors of the keys.
  public init?(_ text: String) throws(BackdropError) {
    var parts: [(text: String, seconds: Double)] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      // A text of another form is no error.
      guard let at = part.lastIndex(of: "@"), at > part.startIndex,
        let time = try? TimeInVideo(parsing: String(part[at...].dropFirst()))
      else { return nil }
      parts.append((String(part[..<at]), time.seconds))
    }
    try self.init(
      try parts.map { part throws(BackdropError) in
        Key(seconds: part.seconds, value: try BackgroundChoice(single: part.text))
      })
  }
}

/// Fades between background keyframes, for scenes of one size.
final class BackgroundFade {
  private let keyframes: BackgroundKeyframes
  private let sources: [BackgroundSource]
  private let width: Int, height: Int
  /// The last mixture, which need not be made again while it stays the same.
  private var made: (from: Int, to: Int, part: Double)?
  /// Frame-sized pictures of the two backgrounds in a transition; those of a video change.
  private var fitted: [Int: Image] = [:]

  init(_ keyframes: BackgroundKeyframes, width: Int, height: Int, limits: ImageLimits) throws(BackdropError) {
    (self.keyframes, self.width, self.height) = (keyframes, width, height)
    sources = try keyframes.keys.map { key throws(BackdropError) in
      try BackgroundSource(key.value, width: width, height: height, limits: limits)
    }
  }

  var initial: Background { sources[0].initial }

  var legibleBlur: LegibleBlur? { sources.compactMap(\.legibleBlur).min { $0.size < $1.size } }

  /// The new background; `nil` if it stays.
  func background(at seconds: Double) throws(BackdropError) -> Background? {
    let segment = keyframes.segment(at: seconds)
    var hasMoved = false
    for index in Set([segment.from, segment.to]) {
      guard let picture = try sources[index].background(at: seconds) else { continue }
      sources[index].now = picture
      fitted[index] = nil
      hasMoved = true
    }
    if let made, made == segment, !hasMoved { return nil }
    made = segment
    for index in fitted.keys where index != segment.from && index != segment.to { fitted[index] = nil }
    guard segment.part > 0 else { return sources[segment.from].now }
    switch (sources[segment.from].now, sources[segment.to].now) {
    case (.blur(let from), .blur(let to)): return .blur(sigma: from + (to - from) * segment.part)
    case (.bokeh(let from), .bokeh(let to)): return .bokeh(radius: from + (to - from) * segment.part)
    default:
      let weight = UInt16((segment.part * 32_768).rounded())
      let mask = Plane<UInt16>(repeating: weight, width: width, height: height)
      return .picture(try picture(segment.to).blended(over: try picture(segment.from), mask: mask))
    }
  }

  private func picture(_ index: Int) throws(BackdropError) -> Image {
    if let known = fitted[index] { return known }
    var image = Image(.rgb8, width: width, height: height, color: .jpeg)
    switch sources[index].now {
    case .picture(let picture): image = try picture.flattened().upright().filling(width: width, height: height)
    case .color(let color): image.fill(color)
    case .blur, .bokeh: preconditionFailure("blurs are faded by their strength")
    }
    let made = image.converted(to: .rgb8, color: .jpeg)
    fitted[index] = made
    return made
  }
}
