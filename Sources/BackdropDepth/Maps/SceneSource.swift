import BackdropImaging

/// A source of scenes, one after the other, until it ends: a photo (one scene), a video, a pipe, a recording in any format, a device, the
/// simulated camera. Properties describe all other differences between them.
///
/// One thread uses a source at a time.
public protocol SceneSource {
  /// Its name in messages.
  var name: String { get }
  /// Size of the colour pictures.
  var width: Int { get }
  /// Size of the colour pictures.
  var height: Int { get }
  /// The usual pixel format of the colour pictures.
  var format: PixelFormat { get }
  /// The meaning of their samples.
  var color: ColorDescription { get }
  /// The original format of its pictures, and the changes so far.
  var properties: SourceProperties { get }
  /// The average number of frames a second.
  var framesPerSecond: Double { get }
  /// The same, exactly.
  var frameRate: Rational { get }
  /// The length of a tick of ``Scene/ticks`` in seconds; for scenes without ticks, a length that is fine enough for their times.
  var timeBase: Rational { get }
  /// Whether it is a single picture.
  var isStill: Bool { get }
  /// Whether scenes have depth in metres; a scene without it has lost it.
  var providesDepth: Bool { get }
  /// Whether the time of frame `n` is exactly `n / framesPerSecond`.
  var hasConstantRate: Bool { get }
  /// The maximum number of frames; `nil` if unknown or endless.
  var frameCount: Int? { get }
  /// Unusable frames that were skipped so far.
  var skipped: FaultTally<SkippedFrame> { get }
  /// Problems that do not stop the work; more may come until the end.
  var warnings: [BackdropError] { get }
  /// The units per metre of depth stored as integers; `nil` if it is not.
  var storedUnitsPerMetre: Double? { get }
  /// Contents besides colour, depth, times and one camera that are not read: `sound`, for example.
  var unreadParts: [String] { get }
  /// The files that it reads.
  var files: [String] { get }
  /// Whether frames come in real time and never end, so that a reader may stop at any time.
  var isLive: Bool { get }
  /// Whether frames come from files, which is worth doing on a separate thread.
  var isWorthReadingAhead: Bool { get }

  /// The next usable frame, `nil` at the end.
  ///
  /// - Throws: when no more can come before the end: a lost device, a broken stream.
  mutating func next() throws(BackdropError) -> Scene?
}

extension SceneSource {
  /// No.
  public var hasConstantRate: Bool { false }
  /// None.
  public var skipped: FaultTally<SkippedFrame> { FaultTally() }
  /// None.
  public var warnings: [BackdropError] { [] }
  /// `nil`: numbers with fractions.
  public var storedUnitsPerMetre: Double? { nil }
  /// Nothing.
  public var unreadParts: [String] { [] }
  /// None.
  public var files: [String] { [] }
  /// BT.709, limited range.
  public var color: ColorDescription { .video }
  /// Pictures that need no change to become scenes.
  public var properties: SourceProperties { SourceProperties(storedWidth: width, storedHeight: height, color: color) }
  /// ``framesPerSecond`` in its usual notation.
  public var frameRate: Rational { Rational(approximating: framesPerSecond) }
  /// A frame if that is exact, else a time base that every container supports.
  public var timeBase: Rational { hasConstantRate ? frameRate.inverse : Rational(1, 90_000) }
  /// No.
  public var isStill: Bool { false }
  /// Yes.
  public var providesDepth: Bool { true }
  /// No.
  public var isLive: Bool { false }
  /// Yes.
  public var isWorthReadingAhead: Bool { true }
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
