import BackdropDepth
import BackdropImaging

/// A video, a recording with depth, or a scene of the simulated camera (`sim:talking`): scenes that come to an end.
///
///     for try await scene in try Video("talk.mp4").scenes { print(scene.time, scene.image.width) }
///     try await Video("talk.mp4").replacingBackground(with: .scenery(.dunes)).write(to: "out.mp4")
///
/// What can be made of it: ``Original/replacingBackground(with:)`` and ``Original/applying(_:_:background:)``.
public struct Video: Original {
  /// The name that it was opened by.
  public let path: String
  /// The largest pictures that are read with it.
  public var limits: ImageLimits { options.limits }
  /// Pixels in a row of the upright frames.
  public let width: Int
  /// Rows of the upright frames.
  public let height: Int
  /// Frames in a second, on average.
  public let framesPerSecond: Double
  /// How many frames there will be at most; `nil` where that is not known.
  public let frameCount: Int?
  /// Whether scenes come with distances in metres.
  public let hasDepth: Bool
  private let options: SceneInput.Options

  /// Opens what ``SceneInput/open(_:options:)`` does, looks what it is, and closes it again.
  ///
  /// - Parameters:
  ///   - path: a video file, a recording's file or folder, or `sim:…`.
  ///   - depth: a folder of pictures of distances, one a frame, if they are not in it.
  ///   - limits: the largest frames that are read.
  /// - Throws: `wrongArgument` if there is no such file, or it is a single picture or a pipe; `badData` for a damaged one,
  ///   `unsupported` for another kind of file.
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

  /// Every scene, in order: the next is read when one is taken, so a slow reader loses none. Each loop begins anew.
  public var scenes: SceneStream {
    SceneStream(.every) { [self] () throws(BackdropError) in SourceFeed(source: try open()) }
  }

  /// Opens it as the engine's input.
  ///
  /// - Throws: errors in the file; it was sound when the video was made.
  public func open() throws(BackdropError) -> any SceneSource { try SceneInput.open(path, options: options) }

  private struct SourceFeed: SceneFeed {
    var source: any SceneSource

    mutating func next() throws(BackdropError) -> SceneStep {
      if let scene = try source.next() { .scene(scene) } else { .end }
    }
  }
}
