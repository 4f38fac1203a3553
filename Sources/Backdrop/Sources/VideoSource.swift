import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropVideo

/// The frames of a video file, with depth from a folder of pictures where there is one.
public final class VideoSource: SceneSource {
  /// The file's name.
  public let name: String
  /// Size of the upright frames.
  public let width: Int, height: Int
  /// Frames are handed out as they are coded, in this format.
  public var format: PixelFormat { .i420 }
  /// The file's colour tags.
  public var color: ColorDescription { reader.color }
  /// The stored format, and the changes so far.
  public var properties: SourceProperties {
    var properties = reader.properties
    if reader.orientation != .up { properties.changes.insert(.turned) }
    return properties
  }
  /// Frames in a second, on average; 25 where the file does not say.
  public var frameRate: Rational { reader.frameRate ?? Rational(25, 1) }
  /// The same.
  public var framesPerSecond: Double { frameRate.value }
  /// The file's own.
  public var timeBase: Rational { reader.timeBase }
  /// How many frames there will be, as far as known.
  public var frameCount: Int? { reader.frameCountEstimate }
  /// Whether there is a folder of depth.
  public var providesDepth: Bool { depth != nil }
  /// The video and the pictures of its depth.
  public var files: [String] { [reader.path] + (depth?.files ?? []) }
  /// Warnings and notes; more may come until the end.
  public var warnings: [BackdropError] { notes + found }
  private var notes: [BackdropError] = []
  /// What was wrong until the end.
  private var found: [BackdropError] = []
  /// The file, where sound and subtitles are.
  public let reader: VideoReader
  private var depth: DepthPictures?
  private var hasNotedFields = false

  /// Opens a file.
  ///
  /// - Throws: errors in it, or with its depth.
  init(_ name: String, _ options: SceneInput.Options) throws(BackdropError) {
    self.name = name
    if options.depth != nil && (options.part.start?.seconds ?? 0) > 0 {
      throw BackdropError(
        .wrongArgument, "the depth pictures begin with the video's first frame, so you cannot start later", path: name,
        hint: .leaveStartOut)
    }
    try options.part.check()
    reader = try VideoReader(
      path: name, limits: options.limits, threads: options.threads, keepsDynamicRange: options.keepsDynamicRange,
      part: options.part.seconds)
    let isTurned = reader.orientation.swapsSides
    (width, height) = isTurned ? (reader.height, reader.width) : (reader.width, reader.height)
    depth = try SceneInput.depthPictures(options, name, width: width, height: height, orientation: reader.orientation)
    if let curve = reader.dynamicRange, !options.keepsDynamicRange {
      notes.append(
        BackdropError(.unsupported, "the video is HDR (\(curve)); Backdrop maps its tones to standard dynamic range"))
    }
    if depth == nil { notes += SceneInput.uselessOptions(options) }
  }

  /// The next frame; one whose depth cannot be read says why.
  ///
  /// - Throws: `badData` or `system` if reading the file fails; `overLimit` for a frame that is too large.
  public func next() throws(BackdropError) -> Scene? {
    guard let frame = try reader.next() else {
      found = (reader.complaints + (depth?.leftOver ?? [])).map { BackdropError(.badData, $0) }
      return nil
    }
    noteFields()
    // Which frame was lost is not known, so from here on none is known to belong to its depth.
    let isLost = depth != nil && reader.lostFrameCount > 0
    return Scene(
      frame, &depth,
      fault: isLost
        ? BackdropError(
          .badData, "the video lost a frame before this one, so Backdrop cannot tell which depth belongs to it") : nil
    )
  }
}

extension VideoSource {
  private func noteFields() {
    guard reader.properties.isInterlaced, !hasNotedFields else { return }
    hasNotedFields = true
    notes.append(
      BackdropError(.unsupported, "the video is interlaced; Backdrop deinterlaces it and keeps its frame rate"))
  }

  /// Goes back to the first frame, for playing in a loop.
  ///
  /// - Throws: `system` if the file cannot be wound back; `wrongArgument` with depth, whose pictures come one after the other.
  package func rewind() throws(BackdropError) {
    guard !providesDepth else {
      throw BackdropError(.wrongArgument, "Backdrop cannot rewind a video that has depth pictures", path: name)
    }
    try reader.rewind()
  }

  /// The scene that is seen at a time, wherever that is; ``next()`` goes on behind it.
  ///
  /// - Returns: `nil` where the file cannot be searched, or has depth, whose pictures come one after the other.
  /// - Throws: as ``next()``.
  package func scene(at seconds: Double) throws(BackdropError) -> Scene? {
    guard !providesDepth, let frame = try reader.frame(at: seconds) else { return nil }
    var none: DepthPictures?
    return Scene(frame, &none)
  }
}

extension Scene {
  /// A frame with the next of its depth pictures, where there are some.
  init(_ frame: VideoFrame, _ depth: inout DepthPictures?, fault known: BackdropError? = nil) {
    let orientation = frame.image.orientation
    self.init(
      image: frame.image.upright(), alpha: frame.alpha?.oriented(orientation), depthFault: known, time: frame.seconds,
      ticks: SceneTicks(time: frame.time, duration: frame.duration))
    deep = frame.deep?.oriented(orientation)
    guard known == nil, depth != nil else { return }
    do throws(BackdropError) {
      self.depth = try depth?.next()
      if self.depth == nil { depthFault = BackdropError(.badData, "this frame has no depth") }
    } catch {
      depthFault = error
    }
  }
}
