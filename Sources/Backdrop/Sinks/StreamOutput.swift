import BackdropCodecs
import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropPhotos
import BackdropRecordings
import BackdropVideo

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
    /// The quality of lossy pictures, 1…100: JPEG, HEIC, WebP and AVIF files.
    public var photoQuality = Picture.standardQuality
    /// Whether WebP and AVIF pictures keep every pixel; Backdrop then refuses other lossy formats.
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
      (video, dynamicRange, photo) = (input.video?.frames, input.dynamicRange, input.original)
    }
  }

  /// The target of the output.
  public let target: OutputTarget
  /// Whether it takes no more pictures: a single picture is complete, or the reader of the pipe is gone.
  public private(set) var isFull = false
  /// Whether it is a pipe whose reader has closed it.
  public private(set) var readerIsGone = false
  /// Whether it is a single picture that is complete.
  public var tookTheFirstOnly: Bool { target.isPicture && isFull }
  /// Pictures written.
  public private(set) var count = 0
  /// Parts of the source that the output cannot hold, a sentence each.
  private var omissions: [String]
  /// The time of the last picture and the interval between the first two.
  private var pace: (last: Int64, step: Int64?)?
  /// Whether pictures came at other intervals.
  private var isUneven = false
  private let sink: Sink
  /// A picture that waits to be written to standard output.
  private var staged: [UInt8] = []
  private let stream: Stream
  private let options: Options

  private enum Sink {
    case picture(OutputFile, any WritablePhotoContainer)
    /// On standard output, once the picture is complete.
    case pipedPicture(PipeWriter, any WritablePhotoContainer)
    case pictures(PictureSequence, PictureKind, StagedFolder)
    case video(VideoWriter)
    case animation(AnimationStream)
    case y4m(Y4MWriter, OutputFile)
    /// `nil` if the reader closed the pipe before the first picture.
    case pipe(Y4MWriter?)
    case nowhere
  }

  /// The file of a video.
  package var videoFile: OutputFile? { if case .video(let writer) = sink { writer.output } else { nil } }

  /// Warnings and notes about the output.
  public var notes: [String] {
    if case .video(let writer) = sink { return writer.notes }
    let uneven = "the pictures come at a varying rate; YUV4MPEG2 has a fixed rate, so their times are lost"
    return omissions + (isUneven ? [uneven] : [])
  }

  /// Opens an output by its name; see ``init(_:for:color:format:keepsAlpha:options:)-(OutputTarget,_,_,_,_,_)``.
  ///
  /// - Throws: the errors of that initializer, and of ``OutputTarget`` for the name.
  public convenience init(
    _ path: String, for stream: Stream, color: ColorDescription, format: PixelFormat, keepsAlpha: Bool = false,
    options: Options = Options()
  ) throws(BackdropError) {
    try self.init(
      try OutputTarget(path), for: stream, color: color, format: format, keepsAlpha: keepsAlpha, options: options)
  }

  /// Opens an output for pictures.
  ///
  /// - Parameters:
  ///   - target: the target of the output.
  ///   - stream: facts about the pictures, known before the first one comes.
  ///   - color: how to read the samples of the pictures.
  ///   - format: the pixel format of the pictures.
  ///   - keepsAlpha: whether to keep the frames' alpha.
  ///   - options: how to write it.
  /// - Throws: `wrongArgument` if it exists and may not be replaced, or its folder is missing; `unsupported` for an unknown extension, or a
  ///   format that cannot keep alpha.
  public init(
    _ target: OutputTarget, for stream: Stream, color: ColorDescription, format: PixelFormat, keepsAlpha: Bool = false,
    options: Options = Options()
  ) throws(BackdropError) {
    (self.target, self.stream, self.options) = (target, stream, options)
    let contents = options.copiesStreams && !target.isVideo ? stream.video?.contentsBesidePictures ?? [] : []
    omissions =
      contents.isEmpty
      ? []
      : [
        "Backdrop left out \(contents.listed("and")) of the video, which only video files can hold"
      ]
    try target.check(keepsAlpha: keepsAlpha, options)
    switch target.kind {
    case .observer: sink = .nowhere
    case .pipe:
      do throws(BackdropError) {
        sink = .pipe(try Self.y4m(1, stream, color))
      } catch {
        guard error.kind == .interrupted else { throw error }
        sink = .pipe(nil)
        (isFull, readerIsGone) = (true, true)
      }
    case .pictures(let sequence, let kind):
      sink = .pictures(sequence, kind, try StagedFolder(sequence.folder, overwrite: options.overwrite))
    case .picture(let container) where target.isStandardOutput:
      sink = .pipedPicture(PipeWriter(descriptor: 1, contents: "the picture"), container)
    case .picture(let container):
      sink = .picture(try OutputFile(target.path, overwrite: options.overwrite), container)
    case .animation(let kind):
      let file = try OutputFile(target.path, overwrite: options.overwrite)
      sink = .animation(AnimationStream(file, kind, for: stream, keepsAlpha: keepsAlpha, options: options))
    case .y4m:
      let file = try OutputFile(target.path, overwrite: options.overwrite)
      sink = .y4m(try Self.y4m(try file.begin().number, stream, color), file)
    case .video:
      let codec: VideoSettings.Codec =
        if let chosen = options.codec { chosen } else if options.keepsDynamicRange {
          try VideoSettings.deepCodec(forPath: target.path)
        } else {
          try VideoSettings.codec(forPath: target.path, keepingAlpha: keepsAlpha)
        }
      let deep = options.keepsDynamicRange ? stream.dynamicRange : nil
      var settings = VideoSettings(
        codec: codec, width: stream.width, height: stream.height, frameRate: stream.frameRate, color: deep ?? color,
        pixelFormat: format)
      settings.isDeep = deep != nil
      settings.timeBase = stream.timeBase
      settings.quality = options.quality
      settings.threads = options.threads
      settings.keepsAlpha = keepsAlpha
      settings.hasSound = options.hasSound
      let file = try OutputFile(target.path, overwrite: options.overwrite, growing: options.isGrowing)
      sink = .video(
        try VideoWriter(file, settings: settings, source: options.copiesStreams ? stream.video : nil))
    }
  }

  private static func y4m(
    _ descriptor: Int32, _ stream: Stream, _ color: ColorDescription
  ) throws(BackdropError) -> Y4MWriter {
    // The stream cannot name its matrix; readers guess it from the size.
    var assumed = ColorDescription.assumed(width: stream.width, height: stream.height)
    assumed.range = color.range
    return try Y4MWriter(
      descriptor: descriptor, width: stream.width, height: stream.height, frameRate: stream.frameRate, color: assumed)
  }

  /// Adds a picture; times are in the input's ticks.
  ///
  /// - Throws: `wrongArgument` for a picture of another size, or a time that is not after the last; `system` if it cannot be
  ///   written.
  public func write(
    _ image: Image, deep: DeepFrame? = nil, time: Int64, duration: Int64
  ) throws(BackdropError) {
    guard !isFull else { return }
    switch sink {
    case .picture(let file, let container):
      let bytes = try encoded(image, container)
      try file.stage(bytes.span)
      isFull = true
    case .pipedPicture(_, let container):
      staged = try encoded(image, container)
      isFull = true
    case .pictures(let sequence, let kind, let folder):
      let bytes = try Picture.encode(
        image, as: kind, quality: options.photoQuality, isLossless: options.photoIsLossless, compression: .fast)
      try folder.stage(sequence.name(count + 1), bytes.span)
    case .video(let writer):
      if let deep, writer.settings.isDeep {
        try writer.write(deep, time: time, duration: duration)
      } else {
        try writer.write(image, time: time, duration: duration)
      }
    case .animation(let writer): try writer.append(image, time: time, duration: duration)
    case .y4m(let writer, _):
      follow(time)
      try writer.write(image)
    case .nowhere: break
    case .pipe(let writer):
      follow(time)
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

  /// Notes whether pictures come at a constant rate, for formats with a single rate.
  private func follow(_ time: Int64) {
    guard let (last, step) = pace else {
      pace = (time, nil)
      return
    }
    let now = time &- last
    pace = (time, step ?? now)
    if let step, abs(now &- step) > max(1, step / 4) { isUneven = true }
  }

  /// Adds sound to a video's own track; see ``/BackdropVideo/VideoWriter/write(sound:)``.
  ///
  /// - Throws: `system` if it cannot be written.
  package func write(sound samples: [Float]) throws(BackdropError) {
    if case .video(let writer) = sink { try writer.write(sound: samples) }
  }

  /// A picture with all parts of the source's photo that still fit.
  private func encoded(_ image: Image, _ container: any WritablePhotoContainer) throws(BackdropError) -> [UInt8] {
    let photo =
      stream.photo?.replacing(picture: image, stream.change) ?? DepthPhoto(picture: DecodedPicture(image.upright()))
    omissions += photo.omissions + container.omissions(of: photo)
    do throws(BackdropError) {
      return try container.encode(
        photo, options: PhotoFileOptions(quality: options.photoQuality, isLossless: options.photoIsLossless))
    } catch {
      throw error.at(target.path)
    }
  }

  /// Writes all remaining data, so that only the move into place remains.
  ///
  /// - Throws: `wrongArgument` for a video without pictures, or if another program has taken the name meanwhile; `system` if it cannot be
  ///   written.
  public func complete() throws(BackdropError) {
    switch sink {
    case .video(let writer):
      try writer.complete()
      try writer.output.checkPlace()
    case .animation(let writer): try writer.complete()
    case .y4m(let writer, let file):
      guard writer.frameCount > 0 else {
        throw BackdropError(.wrongArgument, "a video needs at least one picture", path: file.path)
      }
      try file.checkPlace()
    case .picture(let file, _): try file.checkPlace()
    case .pictures(_, _, let folder): try folder.checkPlaces()
    case .pipedPicture, .pipe, .nowhere: break
    }
  }

  /// Completes the output and moves it into place.
  ///
  /// - Throws: as ``complete()``; `system` if it cannot be moved.
  public func commit() throws(BackdropError) {
    switch sink {
    case .picture(let file, _): if count > 0 { try file.commit() }
    case .pipedPicture(let pipe, _):
      do throws(BackdropError) {
        try pipe.write(staged.span)
      } catch {
        guard error.kind == .interrupted else { throw error }
        readerIsGone = true
      }
      staged = []
    case .pictures(_, _, let folder): try folder.commit()
    case .video(let writer): try writer.finish()
    case .animation(let writer): try writer.commit()
    case .y4m(_, let file): try file.commit()
    case .pipe, .nowhere: break
    }
  }
}
