import BackdropFFmpeg
import BackdropImaging

/// The format that a `VideoWriter` writes.
public struct VideoSettings: Sendable {
  /// The compression of the pictures.
  public enum Codec: String, Sendable, ParameterChoice {
    /// H.264, for mp4, mov and mkv: plays everywhere.
    case h264
    /// H.265, for mp4, mov and mkv: smaller and slower.
    case h265
    /// VP9, for webm, mkv and mp4.
    case vp9
    /// AV1, for webm, mkv and mp4: the smallest, and the slowest.
    case av1
    /// FFV1, for mkv: lossless.
    case ffv1
    /// Apple ProRes, for mov and mkv: large, for editing; 4444 with alpha, 422 HQ without.
    case prores

    package var summary: String {
      switch self {
      case .h264: "H.264: plays everywhere"
      case .h265: "H.265: smaller and slower"
      case .vp9: "VP9, for WebM"
      case .av1: "AV1: the smallest, and the slowest"
      case .ffv1: "FFV1: without loss, for Matroska"
      case .prores: "Apple ProRes: large, for editing"
      }
    }

    /// Whether its samples can have 10 bits, which a high dynamic range needs.
    public var canBeDeep: Bool {
      switch self {
      case .h265, .av1, .prores: true
      case .h264, .vp9, .ffv1: false
      }
    }
  }

  /// The streams to copy from the source besides the pictures.
  public struct Streams: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int
    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// All sound tracks.
    public static let audio = Streams(rawValue: 1)
    /// All subtitle tracks, with their fonts.
    public static let subtitles = Streams(rawValue: 2)
    /// Chapter marks.
    public static let chapters = Streams(rawValue: 4)
    /// Title, date, place and similar data.
    public static let metadata = Streams(rawValue: 8)
    /// Everything.
    public static let all: Streams = [.audio, .subtitles, .chapters, .metadata]
  }

  /// The compression of the pictures.
  public var codec: Codec
  /// The codec's own constant-quality number (CRF), lower is better: 0…51 for H.264 and H.265, 0…63 for VP9 and AV1; `nil` uses a default
  /// that is hard to distinguish from the source. FFV1, which is lossless, and ProRes ignore it.
  public var quality: Double?
  /// Width of the pictures as stored, in pixels.
  public var width: Int
  /// Height of the pictures as stored, in pixels.
  public var height: Int
  /// The length in seconds of a tick of the writer's times.
  public var timeBase: Rational
  /// The average number of frames a second, if known; the frames' times take precedence.
  public var frameRate: Rational?
  /// The colours of the file's samples: pictures of other colours are converted. A space that videos cannot mark becomes sRGB.
  public var color: ColorDescription
  /// How to turn the stored pictures upright; mp4 and mov can mark this, mkv and webm cannot.
  public var orientation = Orientation.up
  /// The width of a pixel divided by its height.
  public var pixelAspect = Rational(1, 1)
  /// The usual format of the pictures: others are converted. It determines FFV1's storage: grey for ``/BackdropImaging/PixelFormat/gray8``
  /// and ``/BackdropImaging/PixelFormat/gray16``, R′G′B′ for RGB kinds, Y′CbCr 4:2:0 otherwise.
  public var pixelFormat: PixelFormat
  /// Whether to store the alpha channel of RGB kinds, unchanged: with FFV1, with VP9 in webm and mkv, and with ProRes (4444).
  public var keepsAlpha = false
  /// Whether samples have 10 bits, of ``color``'s high dynamic range, for `VideoWriter.write(_:time:duration:)-(DeepFrame,_,_)`; with
  /// H.265, AV1 and ProRes.
  public var isDeep = false
  /// Encoder threads; 0 leaves it to the encoder.
  public var threads = 0
  /// The streams to copy from the source, if there is one.
  public var streams = Streams.all
  /// Whether it has its own sound track, filled by ``VideoWriter/write(sound:)``.
  package var hasSound = false
  /// Whether each picture is coded independently.
  var standsAlone = false
  /// Whether the encoder returns each picture before it takes the next, for recordings that may end at any moment.
  var isUnbuffered = false

  /// Settings for pictures at a steady rate, one tick each.
  public init(
    codec: Codec = .h264, width: Int, height: Int, frameRate: Rational, color: ColorDescription = .video,
    pixelFormat: PixelFormat = .i420
  ) {
    (self.codec, self.width, self.height) = (codec, width, height)
    timeBase = frameRate.inverse
    (self.frameRate, self.color, self.pixelFormat) = (frameRate, color, pixelFormat)
  }

  /// The extensions for writing videos, without dots.
  package static let fileExtensions = VideoContainer.allCases.flatMap(\.fileExtensions)
  /// The default extensions as a list in a sentence: `.mp4, .mov, .mkv or .webm`.
  package static let suffixes = VideoContainer.allCases.map(\.suffix).listed("or")

  /// The default codec for a file name: H.264 for `.mp4`, `.m4v`, `.mov` and `.mkv`, VP9 for `.webm`; with alpha ProRes for `.mov`, VP9 for
  /// `.webm`, and none for the others.
  ///
  /// - Throws: `unsupported` for other extensions.
  public static func codec(forPath path: String, keepingAlpha: Bool = false) throws(BackdropError) -> Codec {
    guard let codec = try VideoContainer(path: path).usualCodec(keepingAlpha: keepingAlpha) else { throw noAlpha(path) }
    return codec
  }

  /// The default codec for a high dynamic range: H.265 for `.mp4`, `.m4v`, `.mov` and `.mkv`, AV1 for `.webm`.
  ///
  /// - Throws: `unsupported` for other extensions.
  public static func deepCodec(forPath path: String) throws(BackdropError) -> Codec {
    try VideoContainer(path: path) == .webm ? .av1 : .h265
  }

  /// Whether a file of this name can hold such video.
  ///
  /// - Throws: `unsupported` for extensions that cannot be written.
  public static func canHold(_ codec: Codec, path: String) throws(BackdropError) -> Bool {
    try VideoContainer(path: path).canHold(codec)
  }

  package static func refusal(of codec: Codec, path: String) -> BackdropError {
    let holders = VideoContainer.allCases.filter { $0.canHold(codec) }.map(\.suffix)
    return BackdropError(
      .unsupported, "this kind of file cannot hold \(codec.rawValue) video", path: path,
      hint: .renameOrLeaveCodecOut(fileExtensions: holders.joined(separator: " or ")))
  }

  /// The error for a high dynamic range that the codec cannot hold.
  package static func tooShallow(_ path: String) -> BackdropError {
    let codecs = Codec.allCases.filter(\.canBeDeep).map(\.rawValue).listed("or")
    return BackdropError(
      .unsupported, "high dynamic range needs 10 bits per sample (\(codecs)) and no transparency", path: path,
      hint: .leaveDynamicRangeOut)
  }

  static func noAlpha(_ path: String) -> BackdropError {
    BackdropError(.unsupported, "this kind of file cannot hold transparency", path: path, hint: .chooseTransparentKind)
  }

  /// Whether a file of this name can store the orientation of its pictures; if not, turn them before writing.
  ///
  /// - Throws: `unsupported` for extensions that cannot be written.
  public static func carriesOrientation(path: String) throws(BackdropError) -> Bool {
    try VideoContainer(path: path).isQuickTime
  }
}
