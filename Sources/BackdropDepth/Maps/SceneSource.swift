import BackdropImaging

/// Something that gives scenes, one after the other, until it ends: a photo (one scene), a video, a pipe, a recording in any format,
/// a device, the simulated camera. What differs between them beside that is a property.
///
/// One thread uses a source at a time.
public protocol SceneSource {
  /// Its name in messages.
  var name: String { get }
  /// Size of the colour pictures.
  var width: Int { get }
  /// Size of the colour pictures.
  var height: Int { get }
  /// The pixel format of the colour pictures, mostly.
  var format: PixelFormat { get }
  /// How their samples are to be read.
  var color: ColorDescription { get }
  /// The original format of its pictures, and the changes so far.
  var properties: SourceProperties { get }
  /// Frames in a second, on average.
  var framesPerSecond: Double { get }
  /// The same, exactly.
  var frameRate: Rational { get }
  /// The length of a tick of ``Scene/ticks`` in seconds; where scenes have none, one that is fine enough for their times.
  var timeBase: Rational { get }
  /// Whether it is a single picture.
  var isStill: Bool { get }
  /// Whether scenes come with depth in metres; one without has lost it.
  var providesDepth: Bool { get }
  /// Whether frame `n` is shown at exactly `n / framesPerSecond`.
  var hasConstantRate: Bool { get }
  /// How many frames there will be at most; `nil` where that is not known or there is no end.
  var frameCount: Int? { get }
  /// Frames that could not be used and were passed over so far.
  var skipped: FaultTally<SkippedFrame> { get }
  /// Something wrong beside the frames that does not stop the work; more may come until the end.
  var warnings: [BackdropError] { get }
  /// How many units a metre has in which depth is stored as whole numbers; `nil` if it is not.
  var storedUnitsPerMetre: Double? { get }
  /// What there is beside colour, depth, times and one camera, and is not read: `sound`, for example.
  var unreadParts: [String] { get }
  /// The files that it reads.
  var files: [String] { get }
  /// Whether frames come in real time and never end, so that a reader may stop at any time.
  var isLive: Bool { get }
  /// Whether frames are read from files, which is worth doing on a thread of its own.
  var isWorthReadingAhead: Bool { get }

  /// The next frame that can be used, `nil` at the end.
  ///
  /// - Throws: when nothing more can come although the end is not reached: a lost device, a broken stream.
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
  /// Scenes as they are.
  public var properties: SourceProperties { SourceProperties(storedWidth: width, storedHeight: height, color: color) }
  /// ``framesPerSecond`` as people write it.
  public var frameRate: Rational { Rational(approximating: framesPerSecond) }
  /// A frame where that is exact, else one that every container takes.
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

/// A frame that was passed over, and why.
public struct SkippedFrame: StreamFault, Equatable, CustomStringConvertible {
  /// Its number in the source, from 1.
  public var number: Int
  /// Why it could not be used.
  public var error: BackdropError

  /// Makes a report.
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
