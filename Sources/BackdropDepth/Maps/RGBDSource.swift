import BackdropImaging

/// Something that gives frames with depth, one after the other, until it ends: a recording in any format, a device, the
/// simulated camera. The engine's `RGBDInput` finds the one for a name.
///
/// One thread uses a source at a time.
public protocol RGBDSource {
  /// What to call it in messages.
  var name: String { get }
  /// Size of the colour pictures.
  var width: Int { get }
  /// Size of the colour pictures.
  var height: Int { get }
  /// The pixel format of the colour pictures.
  var format: PixelFormat { get }
  /// Frames in a second, on average.
  var framesPerSecond: Double { get }
  /// Whether frame `n` is shown at exactly `n / framesPerSecond`.
  var isSteady: Bool { get }
  /// How many frames there will be at most; `nil` where that is not known or there is no end.
  var frameCount: Int? { get }
  /// Frames that could not be used and were passed over so far.
  var skipped: [SkippedFrame] { get }
  /// Something wrong beside the frames that does not stop the work; more may come until the end.
  var warnings: [BackdropError] { get }
  /// How many units a metre has in which depth is stored as whole numbers; `nil` if it is not.
  var storedUnitsPerMetre: Double? { get }
  /// What there is beside colour, depth, times and one camera, and is not read: `sound`, for example.
  var unreadParts: [String] { get }
  /// The files that it reads.
  var files: [String] { get }
  /// Whether frames come with the faces in them.
  var bringsFaces: Bool { get }
  /// Whether frames come by their own time and never end, so that whoever stops listening has all he wants.
  var isLive: Bool { get }
  /// Whether frames are read from files, which is worth doing on a thread of its own.
  var isWorthReadingAhead: Bool { get }

  /// The next frame that can be used, `nil` at the end.
  ///
  /// - Throws: when nothing more can come although the end is not reached: a lost device, a broken stream.
  mutating func next() throws(BackdropError) -> Frame?
}

extension RGBDSource {
  /// No.
  public var isSteady: Bool { false }
  /// None.
  public var skipped: [SkippedFrame] { [] }
  /// None.
  public var warnings: [BackdropError] { [] }
  /// `nil`: numbers with fractions.
  public var storedUnitsPerMetre: Double? { nil }
  /// Nothing.
  public var unreadParts: [String] { [] }
  /// None.
  public var files: [String] { [] }
  /// No.
  public var bringsFaces: Bool { false }
  /// No.
  public var isLive: Bool { false }
  /// Yes.
  public var isWorthReadingAhead: Bool { true }
}

/// A frame that was passed over, and why.
public struct SkippedFrame: Sendable, Equatable, CustomStringConvertible {
  /// Its number in the source, from 1.
  public var number: Int
  /// Why it could not be used.
  public var error: BackdropError

  /// Makes a report.
  public init(number: Int, error: BackdropError) {
    self.number = number
    self.error = error
  }

  /// `frame 12: the file is empty: rgb/12.png`
  public var description: String { "frame \(number): \(error)" }
}
