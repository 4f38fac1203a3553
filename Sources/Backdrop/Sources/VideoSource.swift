/// The frames of a video file, with optional depth from a folder of pictures.
package final class VideoSource: SceneSource {
  /// The facts about it: the size of the upright frames, which pass as they are coded; the file's own time base, and its rate, or 25 frames a
  /// second if it has none.
  package var info: SourceInfo {
    // The reader learns these from the frames.
    var info = facts
    (info.color, info.frameCount) = (frames.color, frames.frameCountEstimate)
    var stored = frames.properties
    if frames.orientation != .up { stored.changes.insert(.turned) }
    info.stored = stored
    return info
  }
  private let facts: SourceInfo
  /// Warnings and notes; more may come until the end.
  package var warnings: [BackdropError] { notes + found }
  private var notes: [BackdropError] = []
  /// The errors found by the end.
  private var found: [BackdropError] = []
  /// The file's reader; `nil` where another process decodes it.
  package var reader: VideoReader? { frames as? VideoReader }
  /// The source of frames, sound and subtitles: the reader, or another process.
  package let frames: any VideoFrames
  private var depth: DepthPictures?
  private var hasNotedFields = false

  init(_ name: String, _ options: SceneInput.Options) throws(BackdropError) {
    if options.depth != nil && (options.part.start?.seconds ?? 0) > 0 {
      throw BackdropError(
        .wrongArgument, "the depth pictures begin with the video's first frame, so you cannot start later", path: name,
        hint: .leaveStartOut)
    }
    try options.part.check()
    frames = try VideoReader.frames(
      path: name, limits: options.limits, threads: options.threads, keepsDynamicRange: options.keepsDynamicRange,
      part: options.part.seconds)
    let isTurned = frames.orientation.swapsSides
    let (width, height) = isTurned ? (frames.height, frames.width) : (frames.width, frames.height)
    depth = try DepthPictures(options, for: name, width: width, height: height, orientation: frames.orientation)
    let rate = frames.frameRate ?? Rational(25, 1)
    var facts = SourceInfo(name, width: width, height: height, format: .i420, framesPerSecond: rate.value)
    (facts.exactRate, facts.tick, facts.providesDepth) = (rate, frames.timeBase, depth != nil)
    facts.files = [frames.path] + (depth?.files ?? [])
    self.facts = facts
    if let curve = frames.dynamicRange, !options.keepsDynamicRange {
      notes.append(
        BackdropError(.unsupported, "the video is HDR (\(curve)); Backdrop maps its tones to standard dynamic range"))
    }
    if depth == nil { notes += SceneInput.uselessOptions(options) }
  }

  /// The next frame; a frame with unreadable depth carries the error.
  package func next() throws(BackdropError) -> Scene? {
    guard let frame = try frames.next() else {
      found = (frames.complaints + (depth?.leftOver ?? [])).map { BackdropError(.badData, $0) }
      return nil
    }
    if frames.properties.isInterlaced, !hasNotedFields {
      hasNotedFields = true
      notes.append(
        BackdropError(.unsupported, "the video is interlaced; Backdrop deinterlaces it and keeps its frame rate"))
    }
    // The lost frame may be any earlier one, so no depth picture can be matched to a frame from here on.
    let isLost = depth != nil && frames.lostFrameCount > 0
    return Scene(
      frame, &depth,
      fault: isLost
        ? BackdropError(
          .badData, "the video lost a frame before this one, so Backdrop cannot tell which depth belongs to it") : nil
    )
  }

  /// Returns to the first frame, to play in a loop.
  package func rewind() throws(BackdropError) {
    guard !providesDepth else {
      throw BackdropError(.wrongArgument, "Backdrop cannot rewind a video that has depth pictures", path: name)
    }
    try frames.rewind()
  }

  /// The scene visible at a time, anywhere in the file; ``next()`` continues after it.
  ///
  /// - Returns: `nil` if the file cannot be searched, or has depth, whose pictures are sequential.
  package func scene(at seconds: Double) throws(BackdropError) -> Scene? {
    guard !providesDepth, let frame = try frames.frame(at: seconds) else { return nil }
    var none: DepthPictures?
    return Scene(frame, &none)
  }
}

extension Scene {
  /// A frame with its next depth picture, if it has depth.
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
