import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropMedia

/// Where the frames of a job come from: a picture, a video, an RGB-D recording, the simulated camera or a pipe.
public final class JobInput {
  /// How to read an input, where it leaves that open.
  public struct Options: Sendable {
    /// Depth that belongs to the input: a picture for a picture, a folder of pictures (one a frame) for a video.
    public var depth: String?
    /// How recordings and depth pictures are to be read.
    public var recording = RecordingOptions()
    /// Decoder threads; 0 leaves it to the decoder.
    public var threads = 0

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
  }

  /// What to call it in messages.
  public let name: String
  /// Size of the upright frames.
  public let width: Int, height: Int
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
  /// Things worth telling that do not stop the work.
  public private(set) var warnings: [String] = []
  private var source: Source

  private enum Source {
    case simulation(SimulatedCamera, next: Int)
    case recording(RGBDRecording)
    case video(VideoReader, depth: DepthPictures?)
    case pipe(Y4MReader, depth: DepthPictures?)
  }

  /// Frames that could not be read and were passed over so far.
  public var skipped: [SkippedFrame] {
    if case .recording(let recording) = source { return recording.skipped }
    return []
  }

  /// Opens `sim:…`, `-` (YUV4MPEG2 on standard input), a folder, or a picture or video file, told apart by content.
  ///
  /// - Throws: what is wrong with the input, with a hint.
  public init(_ name: String, options: Options = Options()) throws(BackdropError) {
    self.name = name
    let depth = options.depth
    func depthPictures(_ width: Int, _ height: Int) throws(BackdropError) -> DepthPictures? {
      guard let depth else { return nil }
      return try DepthPictures(depth, forWidth: width, height: height, options: options.recording)
    }
    if name.hasPrefix("sim:") {
      guard depth == nil else {
        throw BackdropError(
          .wrongArgument, "the simulated camera brings its own depth", hint: "leave --depth out")
      }
      let camera = try SimulatedCamera(address: name)
      (width, height) = (camera.width, camera.height)
      frameRate = Rational(approximating: camera.framesPerSecond)
      timeBase = frameRate.inverse
      frameCount = camera.frameCount
      isStill = false
      video = nil
      source = .simulation(camera, next: 0)
      return
    }
    if name == "-" {
      let reader = try Y4MReader(descriptor: 0)
      (width, height) = (reader.width, reader.height)
      (frameRate, timeBase) = (reader.frameRate, reader.timeBase)
      frameCount = nil
      isStill = false
      video = nil
      source = .pipe(reader, depth: try depthPictures(reader.width, reader.height))
      return
    }
    if FileKind(name) == .folder {
      guard depth == nil else {
        throw BackdropError(
          .wrongArgument, "a recording brings its own depth", path: name, hint: "leave --depth out")
      }
      let recording = try RGBDRecording(folder: name, options: options.recording)
      (width, height) = (recording.width, recording.height)
      frameRate = Rational(approximating: options.recording.framesPerSecond)
      // Fine enough for the times of any recording, and a time base that every container takes.
      timeBase = Rational(1, 90_000)
      frameCount = recording.frameCount
      isStill = false
      video = nil
      warnings = recording.warnings.map(\.description)
      source = .recording(recording)
      return
    }
    switch try JobInput.kind(of: name) {
    case .picture:
      guard let depth else {
        throw BackdropError(
          .wrongArgument, "this picture comes without depth", path: name,
          hint: "give its depth map with --depth FILE")
      }
      let recording = try RGBDRecording(color: name, depth: depth, options: options.recording)
      (width, height) = (recording.width, recording.height)
      frameRate = Rational(25, 1)
      timeBase = frameRate.inverse
      frameCount = 1
      isStill = true
      video = nil
      source = .recording(recording)
    case .video:
      let reader = try VideoReader(path: name, threads: options.threads)
      let turned = reader.orientation.swapsSides
      (width, height) = turned ? (reader.height, reader.width) : (reader.width, reader.height)
      timeBase = reader.timeBase
      frameRate = reader.frameRate ?? Rational(25, 1)
      frameCount = reader.frameCountEstimate
      isStill = false
      video = reader
      source = .video(reader, depth: try depthPictures(width, height))
    }
  }

  /// The next frame, upright; `nil` at the end. A frame whose depth cannot be read comes without.
  public func next() throws(BackdropError) -> TimedFrame? {
    switch source {
    case .simulation(let camera, let index):
      guard index < camera.frameCount else { return nil }
      source = .simulation(camera, next: index + 1)
      return TimedFrame(frame: camera.frame(index).frame, time: Int64(index), duration: 1)
    case .recording(var recording):
      let frame = try recording.next()
      source = .recording(recording)
      guard let frame else { return nil }
      return TimedFrame(frame: frame, time: Int64((frame.time / timeBase.value).rounded()), duration: 0)
    case .video(let reader, var depth):
      guard let picture = try reader.next() else {
        if reader.endedEarly { warnings.append("the video ends early: the file is damaged or was cut off") }
        if reader.corruptFrameCount > 0 { warnings.append("\(reader.corruptFrameCount) frames are damaged") }
        return nil
      }
      let frame = joined(picture, &depth)
      source = .video(reader, depth: depth)
      return frame
    case .pipe(let reader, var depth):
      guard let picture = try reader.next() else {
        if reader.endedEarly { warnings.append("the stream ends in the middle of a frame") }
        return nil
      }
      let frame = joined(picture, &depth)
      source = .pipe(reader, depth: depth)
      return frame
    }
  }

  private func joined(_ picture: VideoFrame, _ depth: inout DepthPictures?) -> TimedFrame {
    var map: DepthMap?
    do throws(BackdropError) {
      map = try depth?.next()
    } catch {
      warnings.append("the depth of one frame: \(error)")
    }
    return TimedFrame(
      frame: Frame(image: picture.image.upright(), depth: map, time: picture.seconds), time: picture.time,
      duration: picture.duration)
  }

  private enum FileContent { case picture, video }

  private static func kind(of path: String) throws(BackdropError) -> FileContent {
    switch FileKind(path) {
    case .absent: throw BackdropError(.wrongArgument, "no such file", path: path)
    default: break
    }
    do throws(BackdropError) {
      _ = try PictureKind(content: try InputFile.head(path).span)
      return .picture
    } catch {
      // A picture of a kind that is not read is better named than called a bad video.
      if error.kind == .unsupported || error.kind == .system { throw error.at(path) }
      return .video
    }
  }
}
