import BackdropImaging

/// The facts about a source of scenes. A source that reads from another one copies them, and changes what differs.
public struct SourceInfo: Sendable {
  /// Its name in messages.
  public var name: String
  /// Size of the colour pictures.
  public var width: Int, height: Int
  /// The usual pixel format of the colour pictures.
  public var format: PixelFormat
  /// The meaning of their samples.
  public var color = ColorDescription.video
  /// The original format of its pictures, and the changes so far; `nil` if they need no change to become scenes.
  package var stored: SourceProperties?
  /// The average number of frames a second.
  public var framesPerSecond: Double
  /// The same, exactly; `nil` for ``framesPerSecond`` in its usual notation.
  public var exactRate: Rational?
  /// The length of a tick of ``Scene/ticks`` in seconds; `nil` for a frame if that is exact, else a length that every container supports.
  public var tick: Rational?
  /// Whether it is a single picture.
  public var isStill = false
  /// Whether scenes have depth in metres; a scene without it has lost it.
  public var providesDepth = true
  /// Whether the time of frame `n` is exactly `n / framesPerSecond`.
  public var hasConstantRate = false
  /// The maximum number of frames; `nil` if unknown or endless.
  public var frameCount: Int?
  /// The units per metre of depth stored as integers; `nil` if it has fractions.
  public var storedUnitsPerMetre: Double?
  /// Both cameras, if depth comes from one beside the colour camera and is not registered; ``/BackdropRecordings/AlignedSource`` uses them.
  package var cameras: CameraPair?
  /// Contents besides colour, depth, times and one camera that are not read: `sound`, for example.
  public var unreadParts: [String] = []
  /// The files that it reads.
  public var files: [String] = []
  /// Whether frames come in real time and never end, so that a reader may stop at any time.
  public var isLive = false
  /// Whether frames come from files, which is worth doing on a separate thread.
  public var isWorthReadingAhead = true

  /// Facts about a source with depth.
  public init(_ name: String, width: Int = 0, height: Int = 0, format: PixelFormat, framesPerSecond: Double) {
    (self.name, self.width, self.height) = (name, width, height)
    (self.format, self.framesPerSecond) = (format, framesPerSecond)
  }
}

/// A source of scenes, one after the other, until it ends: a photo (one scene), a video, a pipe, a recording in any format, a device, the
/// simulated camera. Its ``info`` describes all other differences between them.
///
/// One thread uses a source at a time.
public protocol SceneSource {
  /// The facts about it.
  var info: SourceInfo { get }
  /// Unusable frames that were skipped so far.
  var skipped: FaultTally<SkippedFrame> { get }
  /// Problems that do not stop the work; more may come until the end.
  var warnings: [BackdropError] { get }

  /// The next usable frame, `nil` at the end.
  ///
  /// - Throws: when no more can come before the end: a lost device, a broken stream.
  mutating func next() throws(BackdropError) -> Scene?
}

extension SceneSource {
  package var skipped: FaultTally<SkippedFrame> { FaultTally() }
  package var warnings: [BackdropError] { [] }
  /// Its name in messages.
  public var name: String { info.name }
  /// Size of the colour pictures.
  public var width: Int { info.width }
  /// Size of the colour pictures.
  public var height: Int { info.height }
  /// The usual pixel format of the colour pictures.
  public var format: PixelFormat { info.format }
  /// The meaning of their samples.
  public var color: ColorDescription { info.color }
  package var properties: SourceProperties {
    info.stored ?? SourceProperties(storedWidth: width, storedHeight: height, color: color)
  }
  /// The average number of frames a second.
  public var framesPerSecond: Double { info.framesPerSecond }
  /// The same, exactly.
  public var frameRate: Rational { info.exactRate ?? Rational(approximating: framesPerSecond) }
  /// The length of a tick of ``Scene/ticks`` in seconds; for scenes without ticks, a length that is fine enough for their times.
  public var timeBase: Rational { info.tick ?? (info.hasConstantRate ? frameRate.inverse : Rational(1, 90_000)) }
  /// The duration of one of its scenes in seconds; of one without a known duration, that of an average frame.
  package func duration(of scene: Scene) -> Double {
    let ticks = scene.ticks?.duration ?? 0
    return ticks > 0 ? Double(ticks) * timeBase.value : 1 / max(1, framesPerSecond)
  }
  /// Whether it is a single picture.
  public var isStill: Bool { info.isStill }
  /// Whether scenes have depth in metres.
  public var providesDepth: Bool { info.providesDepth }
  /// The maximum number of frames; `nil` if unknown or endless.
  public var frameCount: Int? { info.frameCount }
  /// The files that it reads.
  public var files: [String] { info.files }
}

/// A skipped frame, and the reason.
public struct SkippedFrame: StreamFault, Equatable, CustomStringConvertible {
  /// Its number in the source, from 1.
  public var number: Int
  /// Why it was unusable.
  public var error: BackdropError

  /// Makes a skipped frame.
  public init(number: Int, error: BackdropError) {
    self.number = number
    self.error = error
  }

  /// The same as ``number``.
  public var frame: Int { number }
  /// The error without the path, which differs from frame to frame.
  public var reason: String { error.message }

  /// `frame 12: the file is empty: rgb/12.png`
  public var description: String { "frame \(number): \(error)" }
}
