import BackdropCodecs
import BackdropImaging
import BackdropMedia

/// Where the pictures of a job go: a picture, numbered pictures, a video file or a pipe. Nothing is seen under its name
/// before ``finish()``.
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
  /// Pictures written.
  public private(set) var count = 0
  private var target: Target

  private enum Target {
    case picture(OutputFile)
    case pictures(PictureSequence, StagedFolder)
    case video(VideoWriter)
    case pipe(Y4MWriter)
  }

  /// Things worth telling about what was written.
  public var notes: [String] {
    if case .video(let writer) = target { return writer.notes }
    return []
  }

  /// Whether this name asks for a single picture.
  public static func isPicture(_ path: String) -> Bool {
    if PictureSequence.isPattern(path) { return false }
    do throws(BackdropError) {
      _ = try PictureKind(path: path)
      return true
    } catch {
      return false
    }
  }

  /// Opens an output for the frames of `input`: `-` is YUV4MPEG2 on standard output, a name with `%05d` or an existing
  /// folder (or a name that ends in `/`) numbered pictures, `.png` and `.jpg` one picture, else a video.
  ///
  /// - Throws: `wrongArgument` if it exists and may not be replaced, or its folder is missing; `unsupported` for an
  ///   unknown ending.
  public init(
    _ path: String, for input: JobInput, color: ColorDescription, format: PixelFormat, options: Options = Options()
  ) throws(BackdropError) {
    self.path = path
    if path == "-" {
      target = .pipe(
        try Y4MWriter(
          descriptor: 1, width: input.width, height: input.height, frameRate: input.frameRate, color: color))
    } else if PictureSequence.isPattern(path) {
      let sequence = try PictureSequence(pattern: path)
      target = .pictures(sequence, try StagedFolder(sequence.folder, overwrite: options.overwrite))
    } else if path.hasSuffix("/") || FileKind(path) == .folder {
      let sequence = try PictureSequence(pattern: (path.hasSuffix("/") ? String(path.dropLast()) : path) + "/%05d.png")
      target = .pictures(sequence, try StagedFolder(sequence.folder, overwrite: options.overwrite))
    } else if JobOutput.isPicture(path) {
      target = .picture(try OutputFile(path, overwrite: options.overwrite))
    } else {
      let codec: VideoSettings.Codec =
        if let chosen = options.codec { chosen } else { try VideoSettings.codec(forPath: path) }
      var settings = VideoSettings(
        codec: codec, width: input.width, height: input.height, frameRate: input.frameRate, color: color,
        pixelFormat: format)
      settings.timeBase = input.timeBase
      if let video = input.video { settings.pixelAspect = video.pixelAspect }
      settings.quality = options.quality
      settings.threads = options.threads
      let file = try OutputFile(path, overwrite: options.overwrite)
      target = .video(
        try VideoWriter(file, settings: settings, copyingStreamsFrom: options.copiesStreams ? input.video : nil))
    }
  }

  /// Adds a picture; times are in the input's ticks.
  public func write(_ image: Image, time: Int64, duration: Int64) throws(BackdropError) {
    guard !isFull else { return }
    switch target {
    case .picture(let file):
      // Committed at the end only, like the rest.
      let bytes = try Picture.encode(image, as: PictureKind(path: path))
      target = .picture(file)
      picture = bytes
      isFull = true
    case .pictures(let sequence, let folder):
      let kind = try PictureKind(path: sequence.pattern)
      let bytes = try Picture.encode(image, as: kind, compression: .fast)
      try folder.stage(sequence.name(count + 1), bytes.span)
    case .video(let writer): try writer.write(image, time: time, duration: duration)
    case .pipe(let writer):
      do throws(BackdropError) {
        try writer.write(image)
      } catch {
        guard writer.isClosedByReader else { throw error }
        isFull = true
        return
      }
    }
    count += 1
  }

  private var picture: [UInt8]?

  /// Completes what was written and moves it into place.
  public func finish() throws(BackdropError) {
    switch target {
    case .picture(let file): if let picture { try file.write(picture.span) }
    case .pictures(_, let folder): try folder.commit()
    case .video(let writer): try writer.finish()
    case .pipe: break
    }
  }
}
