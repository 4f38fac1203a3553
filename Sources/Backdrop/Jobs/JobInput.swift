import BackdropCodecs
import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropPhotos
import BackdropRecordings
import BackdropVideo

/// Where the frames of a job come from: a picture, a video, an RGB-D recording, the simulated camera or a pipe.
public final class JobInput {
  /// How to read an input, where it leaves that open.
  public struct Options: Sendable {
    /// Depth that belongs to the input: a picture for a picture, a folder of pictures (one a frame) for a video.
    public var depth: String?
    /// Whether an input without depth is refused.
    public var needsDepth = true
    /// How recordings and depth pictures are to be read.
    public var recording = RecordingOptions()
    /// Decoder threads; 0 leaves it to the decoder.
    public var threads = 0
    /// Asked while a pipe is waited for, so that the wait can be given up.
    public var isInterrupted: (@Sendable () -> Bool)?

    /// The defaults.
    public init() {}
  }

  /// A frame and when it is shown, in ticks of ``JobInput/timeBase``.
  public struct TimedFrame: Sendable {
    /// The frame, upright.
    public var frame: Frame
    /// When it is shown.
    public var time: Int64
    /// How long; 0 if unknown.
    public var duration: Int64
    /// What is wrong with its depth, where there is some but it cannot be read.
    public var fault: BackdropError?
  }

  /// What to call it in messages.
  public let name: String
  /// Size of the upright frames.
  public let width: Int, height: Int
  /// What the frames' pixels are, mostly, and how they are to be read; known before the first frame is read.
  public let format: PixelFormat, color: ColorDescription
  /// The length of a tick in seconds.
  public let timeBase: Rational
  /// Frames in a second, on average.
  public let frameRate: Rational
  /// How many frames there will be, as far as known.
  public let frameCount: Int?
  /// Whether it is one picture.
  public let isStill: Bool
  /// The video file, where sound and subtitles are.
  public let video: VideoReader?
  /// Width of a pixel of the upright frames by its height.
  public let pixelAspect: Rational
  /// Things worth telling that do not stop the work.
  public var warnings: [String] {
    if case .depth(let source) = source { told + source.warnings.map(\.description) } else { told }
  }
  private var told: [String] = []
  private var source: Source
  private var lastTick: Int64?

  private enum Source {
    case depth(any RGBDSource)
    case picture(Image, path: String)
    case video(VideoReader, depth: DepthPictures?)
    case pipe(Y4MReader, depth: DepthPictures?)
  }

  /// Whether frames come with depth.
  public var hasDepth: Bool {
    switch source {
    case .depth: true
    case .picture: false
    case .video(_, let depth), .pipe(_, let depth): depth != nil
    }
  }

  /// The matte that a photo brings of the people in it; `nil` for all else. One that cannot be read is told, and not used.
  func portraitMatte() -> Matte? {
    guard case .picture(_, let path) = source else { return nil }
    do throws(BackdropError) {
      let head = try InputFile.head(path)
      let content = FileContent(head.span)
      guard content == .picture(.jpeg) || content == .heic else { return nil }
      return try DepthPhoto.read(path).portraitMatte()
    } catch {
      told.append("the photo's own matte is not used: \(error.message)")
      return nil
    }
  }

  /// Whether it is read from files of many frames, which neither stall nor wait for anybody.
  var isWorthReadingAhead: Bool {
    switch source {
    case .video: true
    case .depth(let source): source.isWorthReadingAhead && !isStill
    case .picture, .pipe: false
    }
  }

  /// Whether its frames come with their faces; then none are looked for in one that has none.
  package var bringsFaces: Bool {
    if case .depth(let source) = source { source.bringsFaces } else { false }
  }

  /// Frames that could not be read and were passed over so far.
  public var skipped: [SkippedFrame] {
    if case .depth(let source) = source { source.skipped } else { [] }
  }

  /// The files it reads, those of its depth too.
  var files: [String] {
    switch source {
    case .depth(let source): source.files
    case .picture(_, let path): [path]
    case .video(let reader, let depth): [reader.path] + (depth?.files ?? [])
    case .pipe(_, let depth): depth?.files ?? []
    }
  }

  private init(
    _ name: String, width: Int, height: Int, format: PixelFormat, color: ColorDescription = .video,
    frameRate: Rational, timeBase: Rational? = nil, frameCount: Int? = nil,
    isStill: Bool = false, pixelAspect: Rational = Rational(1, 1), video: VideoReader? = nil, source: Source
  ) {
    self.name = name
    self.width = width
    self.height = height
    self.format = format
    self.color = color
    self.frameRate = frameRate
    self.timeBase = timeBase ?? frameRate.inverse
    self.frameCount = frameCount
    self.isStill = isStill
    self.pixelAspect = pixelAspect
    self.video = video
    self.source = source
  }

  /// Opens `sim:…`, `-` (YUV4MPEG2 on standard input), a folder, or a picture, video or recording, told apart by content.
  ///
  /// - Throws: what is wrong with the input, with a hint.
  public static func open(_ name: String, options: Options = Options()) throws(BackdropError) -> JobInput {
    if name == "-" {
      let reader = try Y4MReader(descriptor: 0, isInterrupted: options.isInterrupted)
      let depth = try depthPictures(options, "standard input", width: reader.width, height: reader.height)
      return JobInput(
        name, width: reader.width, height: reader.height, format: .i420, color: reader.color,
        frameRate: reader.frameRate, timeBase: reader.timeBase,
        pixelAspect: reader.pixelAspect, source: .pipe(reader, depth: depth))
    }
    var reading = options.recording
    reading.threads = options.threads
    if let source = try RGBDInput.find(name, options: reading) { return try withDepth(source, options) }
    if options.recording.raw != nil && RecordingEntry.isRaw(name, options.recording) {
      return try picture(name, options)
    }
    let input =
      switch try MediaKind(path: name) {
      case .picture: try picture(name, options)
      case .video: try video(name, options)
      }
    if !input.hasDepth && (options.recording.unitsPerMetre != nil || options.recording.allowsAnyAspect) {
      let flag = options.recording.unitsPerMetre != nil ? "--depth-scale" : "--any-aspect"
      input.told.append("\(flag) does nothing here: the input has no depth")
    }
    return input
  }

  private static func withDepth(_ source: any RGBDSource, _ options: Options) throws(BackdropError) -> JobInput {
    guard options.depth == nil else {
      throw BackdropError(
        .wrongArgument,
        source.bringsFaces ? "the simulated camera brings its own depth" : "a recording brings its own depth",
        path: source.name, hint: "leave --depth out")
    }
    let rate = Rational(approximating: source.framesPerSecond)
    return JobInput(
      source.name, width: source.width, height: source.height, format: source.format, frameRate: rate,
      // Otherwise a tick fine enough for the times of any recording, in a time base that every container takes.
      timeBase: source.isSteady ? rate.inverse : Rational(1, 90_000), frameCount: source.frameCount,
      source: .depth(source))
  }

  private static func picture(_ name: String, _ options: Options) throws(BackdropError) -> JobInput {
    guard let depth = options.depth else {
      guard !options.needsDepth else {
        throw BackdropError(
          .wrongArgument, "this picture comes without depth", path: name, hint: "give its depth map with --depth FILE")
      }
      let image = try StillPicture.load(name, as: options.recording.colorFormat)
      return JobInput(
        name, width: image.width, height: image.height, format: image.format, color: image.color,
        frameRate: Rational(25, 1), frameCount: 1, isStill: true, source: .picture(image, path: name))
    }
    let recording = try RGBDRecording(color: name, depth: depth, options: options.recording)
    return JobInput(
      name, width: recording.width, height: recording.height, format: options.recording.colorFormat,
      frameRate: Rational(25, 1), frameCount: 1, isStill: true, source: .depth(recording))
  }

  private static func video(_ name: String, _ options: Options) throws(BackdropError) -> JobInput {
    let reader = try VideoReader(path: name, threads: options.threads)
    let turned = reader.orientation.swapsSides
    let (width, height) = turned ? (reader.height, reader.width) : (reader.width, reader.height)
    let depth = try depthPictures(options, name, width: width, height: height, orientation: reader.orientation)
    let input = JobInput(
      name, width: width, height: height, format: .i420, color: reader.color,
      frameRate: reader.frameRate ?? Rational(25, 1), timeBase: reader.timeBase,
      frameCount: reader.frameCountEstimate, pixelAspect: turned ? reader.pixelAspect.inverse : reader.pixelAspect,
      video: reader, source: .video(reader, depth: depth))
    if let curve = reader.dynamicRange {
      input.told.append(
        "the video is HDR (\(curve)): it is written with 8 bits, still as \(curve), and the colours of a background are not fitted to it"
      )
    }
    return input
  }

  /// The depth that goes with a video; `nil` where there is none and none is needed.
  private static func depthPictures(
    _ options: Options, _ name: String, width: Int, height: Int, orientation: Orientation = .up
  ) throws(BackdropError) -> DepthPictures? {
    guard options.depth != nil || options.needsDepth else { return nil }
    return try DepthPictures.open(options, for: name, width: width, height: height, orientation: orientation)
  }

  /// The next frame, upright; `nil` at the end. A frame whose depth cannot be read comes without.
  public func next() throws(BackdropError) -> TimedFrame? {
    switch source {
    case .depth(var recording):
      let frame = try recording.next()
      source = .depth(recording)
      guard let frame else { return nil }
      guard abs(frame.time) < 1e10 else {
        throw BackdropError(
          .badData, "a frame at \(frame.time) s", path: name, hint: "the recording's times are damaged")
      }
      // Frames closer than a tick keep their order.
      let tick = max(Int64((frame.time / timeBase.value).rounded()), lastTick.map { $0 + 1 } ?? .min)
      lastTick = tick
      return TimedFrame(frame: frame, time: tick, duration: recording.isSteady ? 1 : 0)
    case .picture(let image, _):
      guard lastTick == nil else { return nil }
      lastTick = 0
      return TimedFrame(frame: Frame(image: image), time: 0, duration: 0)
    case .video(let reader, var depth):
      guard let picture = try reader.next() else {
        told += reader.complaints
        told += depth?.leftOver ?? []
        return nil
      }
      // Which frame was lost is not known, so from here on none is known to belong to its depth.
      let fault =
        depth == nil || reader.lostFrameCount == 0
        ? nil : BackdropError(.badData, "the video lost a frame before this one, so its depth is not known")
      let frame = joined(picture, &depth, fault: fault)
      source = .video(reader, depth: depth)
      return frame
    case .pipe(let reader, var depth):
      guard let picture = try reader.next() else {
        if reader.endedEarly {
          told.append("the stream ends in the middle of a frame, which is left out")
        }
        told += depth?.leftOver ?? []
        return nil
      }
      let frame = joined(picture, &depth, fault: nil)
      source = .pipe(reader, depth: depth)
      return frame
    }
  }

  private func joined(
    _ picture: VideoFrame, _ depth: inout DepthPictures?, fault known: BackdropError?
  ) -> TimedFrame {
    var map: DepthMap?
    var fault = known
    if known == nil {
      do throws(BackdropError) {
        map = try depth?.next()
      } catch {
        fault = error
      }
    }
    return TimedFrame(
      frame: Frame(image: picture.image.upright(), depth: map, time: picture.seconds), time: picture.time,
      duration: picture.duration, fault: fault)
  }
}
