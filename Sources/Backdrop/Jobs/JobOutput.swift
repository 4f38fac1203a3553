import BackdropCodecs
import BackdropFFmpeg
import BackdropImaging
import BackdropVideo

/// Where the pictures of a job go: a picture, numbered pictures, a video file or a pipe. Nothing is seen under its name
/// before ``commit()``.
public final class JobOutput {
  /// What to write, where its name leaves that open.
  public struct Options: Sendable {
    /// Whether files that exist may be replaced.
    public var overwrite = false
    /// How videos are compressed; `nil` for what suits the name.
    public var codec: VideoSettings.Codec?
    /// The codec's constant-quality number, lower is better; `nil` for its default.
    public var quality: Double?
    /// Encoder threads; 0 leaves it to the encoder.
    public var threads = 0
    /// Whether sound, subtitles and chapters of a video input are copied.
    public var copiesStreams = true

    /// The defaults.
    public init() {}
  }

  /// The name it was opened with.
  public let path: String
  /// Whether it takes no more pictures: a single picture is there, or the reader of the pipe is gone.
  public private(set) var isFull = false
  /// Whether it is a pipe that nobody reads any more.
  public private(set) var readerIsGone = false
  /// Whether it is a single picture, and there.
  public var tookTheFirstOnly: Bool {
    if case .picture = target { return isFull }
    return false
  }
  /// Whether it is a video file.
  package var isVideo: Bool { if case .video = target { true } else { false } }
  /// Pictures written.
  public private(set) var count = 0
  private var target: Target

  private enum Target {
    case picture(PictureKind, OutputFile)
    case pictures(PictureSequence, StagedFolder)
    case video(VideoWriter)
    /// `nil` if the reader was gone before the first picture.
    case pipe(Y4MWriter?)
  }

  /// Things worth telling about what was written.
  public var notes: [String] {
    if case .video(let writer) = target { return writer.notes }
    return []
  }

  /// What is known of the pictures before the first one comes.
  public struct Stream {
    /// Size of the pictures.
    public var width: Int, height: Int
    /// Pictures in a second, on average, and the length of a tick in seconds.
    public var frameRate: Rational, timeBase: Rational
    /// Width of a pixel by its height.
    public var pixelAspect = Rational(1, 1)
    /// The video that sound and subtitles are taken from.
    public var video: VideoReader?

    /// Pictures of a size; a tick is a frame unless said otherwise.
    public init(width: Int, height: Int, frameRate: Rational, timeBase: Rational? = nil) {
      (self.width, self.height, self.frameRate) = (width, height, frameRate)
      self.timeBase = timeBase ?? frameRate.inverse
    }

    init(_ input: JobInput) {
      self.init(width: input.width, height: input.height, frameRate: input.frameRate, timeBase: input.timeBase)
      (pixelAspect, video) = (input.pixelAspect, input.video)
    }
  }

  /// Opens an output for the frames of `input`, as ``init(_:for:color:format:keepsAlpha:options:)-(_,Stream,_,_,_,_)``.
  public convenience init(
    _ path: String, for input: JobInput, color: ColorDescription, format: PixelFormat, keepsAlpha: Bool = false,
    options: Options = Options()
  ) throws(BackdropError) {
    try self.init(
      path, for: Stream(input), color: color, format: format, keepsAlpha: keepsAlpha, options: options)
  }

  /// Opens an output for pictures: `-` is YUV4MPEG2 on standard output, a name with `%05d` or an existing
  /// folder (or a name that ends in `/`) numbered pictures, `.png` and `.jpg` one picture, else a video.
  ///
  /// - Parameter keepsAlpha: whether the frames' alpha is kept.
  /// - Throws: `wrongArgument` if it exists and may not be replaced, or its folder is missing; `unsupported` for an
  ///   unknown ending, or one that stands for a kind of file that cannot keep alpha.
  public init(
    _ path: String, for input: Stream, color: ColorDescription, format: PixelFormat, keepsAlpha: Bool = false,
    options: Options = Options()
  ) throws(BackdropError) {
    self.path = path
    let naming = try Naming(path)
    if keepsAlpha { try naming.checkAlpha(path) }
    switch naming {
    case .pipe:
      // The stream cannot name its matrix: readers guess it from the size.
      var assumed = ColorDescription.assumed(width: input.width, height: input.height)
      assumed.range = color.range
      do throws(BackdropError) {
        target = .pipe(
          try Y4MWriter(
            descriptor: 1, width: input.width, height: input.height, frameRate: input.frameRate,
            pixelAspect: input.pixelAspect, color: assumed))
      } catch {
        guard error.kind == .interrupted else { throw error }
        target = .pipe(nil)
        (isFull, readerIsGone) = (true, true)
      }
    case .pictures(let sequence):
      target = .pictures(sequence, try StagedFolder(sequence.folder, overwrite: options.overwrite))
    case .picture(let kind):
      try Self.refuseCodec(options, path)
      target = .picture(kind, try OutputFile(path, overwrite: options.overwrite))
    case .video:
      let codec: VideoSettings.Codec =
        if let chosen = options.codec { chosen } else {
          try VideoSettings.codec(forPath: path, keepingAlpha: keepsAlpha)
        }
      var settings = VideoSettings(
        codec: codec, width: input.width, height: input.height, frameRate: input.frameRate, color: color,
        pixelFormat: format)
      settings.timeBase = input.timeBase
      settings.pixelAspect = input.pixelAspect
      settings.quality = options.quality
      settings.threads = options.threads
      settings.keepsAlpha = keepsAlpha
      let file = try OutputFile(path, overwrite: options.overwrite)
      target = .video(
        try VideoWriter(file, settings: settings, copyingStreamsFrom: options.copiesStreams ? input.video : nil))
    }
  }

  /// Adds a picture; times are in the input's ticks.
  public func write(_ image: Image, time: Int64, duration: Int64) throws(BackdropError) {
    guard !isFull else { return }
    switch target {
    case .picture(let kind, let file):
      let bytes = try Picture.encode(image, as: kind)
      try file.stage(bytes.span)
      isFull = true
    case .pictures(let sequence, let folder):
      let kind = try PictureKind(path: sequence.pattern)
      let bytes = try Picture.encode(image, as: kind, compression: .fast)
      try folder.stage(sequence.name(count + 1), bytes.span)
    case .video(let writer): try writer.write(image, time: time, duration: duration)
    case .pipe(let writer):
      do throws(BackdropError) {
        try writer?.write(image)
      } catch {
        guard error.kind == .interrupted else { throw error }
        (isFull, readerIsGone) = (true, true)
        return
      }
    }
    count += 1
  }

  /// Writes what is still missing, so that nothing but moving it into place is left.
  public func complete() throws(BackdropError) {
    if case .video(let writer) = target { try writer.complete() }
  }

  /// Completes what was written and moves it into place.
  public func commit() throws(BackdropError) {
    switch target {
    case .picture(_, let file): if count > 0 { try file.commit() }
    case .pictures(_, let folder): try folder.commit()
    case .video(let writer): try writer.finish()
    case .pipe: break
    }
  }
}
