/// A video, a recording with depth, or a scene of the simulated camera (`sim:talking`): a finite series of scenes.
///
///     for try await scene in try Video("talk.mp4").scenes { print(scene.time, scene.image.width) }
///     try await Video("talk.mp4").replacingBackground(with: .scenery(.dunes)).write(to: "out.mp4")
///
/// ``Original/replacingBackground(with:)`` and ``Original/applying(_:_:background:)`` make edits of it.
public struct Video: Original {
  /// The name by which it was opened.
  public let path: String
  /// The largest pictures to read with it.
  public var limits: ImageLimits { options.limits }
  /// The width of the upright frames, in pixels.
  public let width: Int
  /// The height of the upright frames, in pixels.
  public let height: Int
  /// The average number of frames a second.
  public let framesPerSecond: Double
  /// The maximum number of frames; `nil` if unknown.
  public let frameCount: Int?
  /// Whether scenes have distances in metres.
  public let hasDepth: Bool
  private let options: SceneInput.Options

  /// Opens anything that ``SceneInput/open(_:options:)`` opens, examines it, and closes it again.
  ///
  /// - Parameters:
  ///   - path: a video file, a recording's file or folder, or `sim:…`.
  ///   - depth: a folder of depth pictures, one per frame, if the video has no depth.
  ///   - limits: the largest frames to read.
  /// - Throws: `wrongArgument` if the file does not exist, or is a single picture or a pipe; `badData` for a damaged one, `unsupported` for
  ///   another kind of file.
  public init(_ path: String, depth: String? = nil, limits: ImageLimits = .standard) throws(BackdropError) {
    guard path != "-" else {
      throw BackdropError(.wrongArgument, "Backdrop cannot read a pipe twice", hint: "give a file")
    }
    var options = SceneInput.Options()
    (options.depth, options.limits) = (depth, limits)
    let source = try SceneInput.open(path, options: options)
    guard !source.isStill else {
      throw BackdropError(.wrongArgument, "this is a photo, not a video", path: path, hint: "open it as a photo")
    }
    (self.path, self.options) = (path, options)
    (width, height, framesPerSecond) = (source.width, source.height, source.framesPerSecond)
    (frameCount, hasDepth) = (source.frameCount, source.providesDepth)
  }

  /// Every scene, in order. The stream reads a scene only after the reader took the last one, so a slow reader loses none. Each loop starts
  /// at the
  /// beginning.
  public var scenes: SceneStream {
    SceneStream(.every) { [self] () throws(BackdropError) in SourceFeed(source: try open()) }
  }

  /// Opens the video as the engine's input.
  ///
  /// - Throws: errors in the file that appeared after the video was opened first.
  public func open() throws(BackdropError) -> SceneInput { try SceneInput.open(path, options: options) }

  private struct SourceFeed: SceneFeed {
    var source: any SceneSource

    mutating func next() throws(BackdropError) -> SceneStep {
      if let scene = try source.next() { .scene(scene) } else { .end }
    }
  }
}
