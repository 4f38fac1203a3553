/// Writes the pictures of a job: to a picture, numbered pictures, an animation, a video file or a pipe. Nothing appears under its name
/// before ``commit()``.
public final class StreamOutput {
  /// Options that the output's name leaves open.
  public struct Options: Sendable {
    /// Whether to replace existing files.
    public var overwrite = false
    /// The codec of videos; `nil` for the default of the name.
    public var codec: VideoSettings.Codec?
    /// The codec's constant-quality number, lower is better; `nil` for its default.
    public var quality: Double?
    /// The quality of lossy pictures, 1…100.
    public var photoQuality = Picture.standardQuality
    /// Whether pictures keep every pixel, in formats that can; Backdrop then refuses the others.
    public var photoIsLossless = false
    /// Whether to keep a video's high dynamic range, with 10 bits a sample.
    public var keepsDynamicRange = false
    /// Encoder threads; 0 leaves it to the encoder.
    public var threads = 0
    /// Whether to copy a video input's sound, subtitles and chapters.
    public var copiesStreams = true
    /// Whether a video is a recording, of which every part is worth keeping (``BackdropImaging/OutputFile``).
    package var isGrowing = false
    /// Whether a video has a sound track of its own, which ``StreamOutput/write(sound:)`` fills.
    package var hasSound = false

    /// The defaults.
    public init() {}
  }

  /// Facts about the pictures, known before the first one comes.
  public struct Stream {
    /// Size of the pictures.
    public var width: Int, height: Int
    /// The average number of pictures a second, and the length of a tick in seconds.
    public var frameRate: Rational, timeBase: Rational
    /// How to read the samples of the pictures, and their pixel format.
    public var color = ColorDescription.video, format = PixelFormat.i420
    /// Whether to keep their alpha.
    public var keepsAlpha = false
    /// The colours of the deep frames beside the pictures; `nil` without deep frames.
    public var dynamicRange: ColorDescription?
    /// The video whose sound and subtitles are copied.
    package var video: (any StreamSource)?
    /// The photo whose metadata, colour profile, depth and mattes go into a picture, if they still fit.
    public var photo: DepthPhoto?
    /// The differences between the pictures and the photo's own.
    public var change = PictureReplacement()

    /// Pictures of a size; a tick is a frame by default.
    public init(width: Int, height: Int, frameRate: Rational, timeBase: Rational? = nil) {
      (self.width, self.height, self.frameRate) = (width, height, frameRate)
      self.timeBase = timeBase ?? frameRate.inverse
    }

    /// Describes the scenes of an input.
    public init(_ input: SceneInput) {
      self.init(width: input.width, height: input.height, frameRate: input.frameRate, timeBase: input.timeBase)
      (color, format) = (input.color, input.format)
      (video, dynamicRange, photo) = (input.video?.frames, input.dynamicRange, input.original)
    }
  }

  /// The target of the output.
  public let target: OutputTarget
  /// Pictures written.
  public private(set) var count = 0
  /// Parts of the source that the output cannot hold, a sentence each.
  private let omissions: [String]
  private let writer: any FrameWriter

  /// Whether it takes no more pictures: a single picture is complete, or the reader of the pipe is gone.
  public var isFull: Bool { writer.isFull }
  /// Whether it is a pipe whose reader has closed it.
  public var readerIsGone: Bool { writer.readerIsGone }
  /// Whether it is a single picture that is complete.
  public var tookTheFirstOnly: Bool { target.isPicture && isFull }
  package var videoFile: OutputFile? { writer.videoFile }
  /// Warnings and notes about the output.
  public var notes: [String] { omissions + writer.notes }

  /// Opens an output by its name; see ``init(_:for:options:)-(OutputTarget,_,_)``.
  ///
  /// - Throws: the errors of that initializer, and of ``OutputTarget`` for the name.
  public convenience init(_ path: String, for stream: Stream, options: Options = Options()) throws(BackdropError) {
    try self.init(try OutputTarget(path), for: stream, options: options)
  }

  /// Opens an output for pictures.
  ///
  /// - Parameters:
  ///   - target: the target of the output.
  ///   - stream: facts about the pictures, known before the first one comes.
  ///   - options: how to write it.
  /// - Throws: `wrongArgument` if it exists and may not be replaced, or its folder is missing; `unsupported` for an unknown extension, or a
  ///   format that cannot keep alpha.
  public convenience init(
    _ target: OutputTarget, for stream: Stream, options: Options = Options()
  ) throws(BackdropError) {
    try target.check(keepsAlpha: stream.keepsAlpha, options)
    try self.init(checked: target, for: stream, options)
  }

  /// Opens an output after ``OutputTarget/check(keepsAlpha:_:)``.
  init(checked target: OutputTarget, for stream: Stream, _ options: Options) throws(BackdropError) {
    self.target = target
    let contents = options.copiesStreams && !target.isVideo ? stream.video?.contentsBesidePictures ?? [] : []
    omissions =
      contents.isEmpty
      ? [] : ["Backdrop left out \(contents.listed("and")) of the video, which only video files can hold"]
    writer = try target.kind.open(stream, options)
  }

  /// Adds a picture; times are in the input's ticks.
  package func write(_ image: Image, deep: DeepFrame? = nil, time: Int64, duration: Int64) throws(BackdropError) {
    guard !isFull else { return }
    try writer.write(image, deep: deep, time: time, duration: duration)
    if !readerIsGone { count += 1 }
  }

  /// Adds sound to a video's own track; see ``/BackdropVideo/VideoWriter/write(sound:)``.
  package func write(sound samples: [Float]) throws(BackdropError) { try writer.write(sound: samples) }

  /// Writes all remaining data, so that only the move into place remains.
  ///
  /// - Throws: `wrongArgument` for a video without pictures, or if another program has taken the name meanwhile; `system` if it cannot be
  ///   written.
  public func complete() throws(BackdropError) { try writer.complete() }

  /// Completes the output and moves it into place.
  ///
  /// - Throws: as `complete()`; `system` if it cannot be moved.
  public func commit() throws(BackdropError) { try writer.commit() }
}
