import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels

/// Makes mattes as jobs and live sessions do: the camera's own, depth and the person network joined, or the network alone,
/// whichever ``SceneAnalyzer`` finds best.
///
///     let matte = try MattePipeline(quality: .best).matte(of: image)
///
/// One pipeline sees single pictures, or one stream. Networks are loaded once, with the first picture, and what is learned of a
/// stream is kept from scene to scene. Not safe to call from two threads at once. The work is done on the caller's thread and on
/// those of the pipeline: 5 to 30 ms for a frame at live quality, up to a second for a picture at its best.
public final class MattePipeline {
  /// The kind of pictures.
  public enum Input: Sendable {
    /// Single pictures, which have nothing to do with each other.
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
  /// The networks that make the mattes, each with the size of the pictures that it looks at; none before the first picture, and
  /// where no network is needed.
  public var networkNames: [String] { engine?.analyzer.networkNames ?? [] }

  /// Makes a pipeline; networks are loaded with the first picture.
  ///
  /// - Parameters:
  ///   - input: whether pictures are single ones or a stream.
  ///   - quality: how much is done for each; `nil` for the best for single pictures, and for what keeps up with a stream. With
  ///     `nil` a photo's own portrait matte is taken as it is; a quality asks the networks.
  ///   - options: everything else that can be chosen; its quality is the one above.
  ///   - threads: for drawing and networks; `nil` for one a processor.
  ///   - networks: where networks come from that were loaded before.
  public init(
    _ input: Input = .pictures, quality: PersonMatteMaker.Quality? = nil, options: AnalyzerOptions = AnalyzerOptions(),
    threads: Int? = nil, networks: ModelCache = ModelCache()
  ) {
    (self.input, self.networks, workers) = (input, networks, WorkerPool(threads: threads))
    settings.analysis = options
    settings.analysis.quality = quality
  }

  /// The matte of a picture, or of a stream's next.
  ///
  /// - Parameters:
  ///   - image: upright, in any pixel format.
  ///   - seconds: when it is shown, in seconds of its stream; does not matter for single pictures.
  /// - Returns: how much of each pixel is foreground, 0…1, at a size of its own that covers the whole picture;
  ///   ``/BackdropDepth/Matte/scaled(toWidth:height:)`` brings it to the picture's.
  /// - Throws: as ``matte(of:)-(Scene)``.
  public func matte(of image: Image, at seconds: Double = 0) throws(BackdropError) -> Matte {
    try matte(of: Scene(image: image, time: seconds))
  }

  /// The matte of a photo, by all that is in it.
  ///
  /// - Throws: as ``matte(of:)-(Scene)``, and what decoding the photo throws.
  public func matte(of photo: Photo) throws(BackdropError) -> Matte { try matte(of: try photo.scene()) }

  /// The matte of a scene, with its depth, or of a stream's next: 0 everywhere where a stream's scene shows nobody.
  ///
  /// A scene of another size, or the first with depth, begins a new stream.
  ///
  /// - Throws: `badData` for a single picture without anybody, and for a scene that has lost its depth; `unsupported` if a
  ///   network is needed and none is installed. A stream can go on after any of these.
  public func matte(of scene: Scene) throws(BackdropError) -> Matte {
    let stream = StreamDescription(
      width: scene.image.width, height: scene.image.height, isStill: input == .pictures,
      hasDepth: scene.depth != nil || input == .stream && scene.depthFault != nil)
    let engine: StreamEngine
    if let last = self.engine, last.stream.canGoOn(with: stream) {
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

extension StreamDescription {
  /// Whether another scene of that kind can be the stream's next: one without depth may have lost it.
  fileprivate func canGoOn(with other: StreamDescription) -> Bool {
    width == other.width && height == other.height && (hasDepth || !other.hasDepth)
  }
}
