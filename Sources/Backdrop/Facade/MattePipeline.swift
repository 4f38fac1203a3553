/// Makes mattes like jobs and live sessions, with the best source that `SceneAnalyzer` finds: the camera's own, depth and the person
/// network joined, or the network alone.
///
///     let matte = try MattePipeline(quality: .best).matte(of: image)
///
/// A pipeline is for single pictures, or for one stream. It loads networks once, with the first picture, and keeps the state of a stream.
/// Calls must not overlap. The work runs on the caller's thread and the pipeline's threads: 5 to 30 ms for a frame at live quality, up to
/// a second for a picture at its best.
public final class MattePipeline {
  /// The kind of pictures.
  public enum Input: Sendable {
    /// Single, unrelated pictures.
    case pictures
    /// The frames of one camera or video, in the order of their times.
    case stream
  }

  private let input: Input
  private var settings = StreamSettings()
  private let workers: WorkerPool
  private let networks: ModelCache
  private var engine: StreamEngine?
  /// The evidence of the last picture.
  public var evidence: Evidence { engine?.evidence ?? Evidence() }
  /// The networks that make the mattes, each with its picture size; empty before the first picture, and if no network is needed.
  public var networkNames: [String] { engine?.analyzer.networkNames ?? [] }

  /// Makes a pipeline. The first picture loads the networks.
  ///
  /// - Parameters:
  ///   - input: single pictures or a stream.
  ///   - quality: the quality of each matte; `nil` for the best for single pictures, and for one that keeps up with a stream. With `nil`
  ///     the pipeline uses a photo's own portrait matte unchanged; with a quality it runs the networks.
  ///   - options: all other options; `quality` replaces theirs.
  ///   - threads: the threads for drawing and networks; `nil` for one per processor.
  ///   - networks: the cache of loaded networks.
  public init(
    _ input: Input = .pictures, quality: PersonMatteMaker.Quality? = nil, options: AnalyzerOptions = AnalyzerOptions(),
    threads: Int? = nil, networks: ModelCache = ModelCache()
  ) {
    (self.input, self.networks, workers) = (input, networks, WorkerPool(threads: threads))
    settings.analysis = options
    settings.analysis.quality = quality
  }

  /// The matte of a picture, or of a stream's next picture.
  ///
  /// - Parameters:
  ///   - image: upright, in any pixel format.
  ///   - seconds: the picture's time, in seconds of its stream; ignored for single pictures.
  /// - Returns: how much of each pixel is foreground, 0…1, at a size of its own that covers the whole picture;
  ///   ``/BackdropDepth/Matte/scaled(toWidth:height:)`` scales it to the picture.
  /// - Throws: as ``matte(of:)-(Scene)``.
  public func matte(of image: Image, at seconds: Double = 0) throws(BackdropError) -> Matte {
    try matte(of: Scene(image: image, time: seconds))
  }

  /// The matte of a photo, from everything in it.
  ///
  /// - Throws: as ``matte(of:)-(Scene)``, and the errors of decoding the photo.
  public func matte(of photo: Photo) throws(BackdropError) -> Matte { try matte(of: try photo.scene()) }

  /// The matte of a scene with its depth, or of a stream's next scene; 0 everywhere if a stream's scene shows no person.
  ///
  /// A scene of another size, or the first with depth, begins a new stream.
  ///
  /// - Throws: `badData` for a single picture without a person, and for a scene that has lost its depth; `unsupported` if a required
  ///   network is missing. A stream can continue after any of these errors.
  public func matte(of scene: Scene) throws(BackdropError) -> Matte {
    let stream = StreamDescription(
      width: scene.image.width, height: scene.image.height,
      hasDepth: scene.depth != nil || input == .stream && scene.depthFault != nil)
    let engine: StreamEngine
    // A scene without depth may have lost it.
    if let last = self.engine, (last.stream.width, last.stream.height) == (stream.width, stream.height),
      last.stream.hasDepth || !stream.hasDepth
    {
      engine = last
    } else {
      engine = try StreamEngine(
        settings, stream, for: input == .pictures ? .still : .file, workers: workers, networks: networks)
      self.engine = engine
    }
    try engine.analyze(scene)
    return evidence.visibleSubject
  }
}
