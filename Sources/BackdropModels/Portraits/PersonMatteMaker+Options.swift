import BackdropDepth
import BackdropImaging

extension PersonMatteMaker {
  /// The trade-off between speed and quality.
  public enum Quality: String, Sendable, CaseIterable, Codable {
    /// One run of a selfie network a frame, on the whole picture.
    case fast
    /// The same, on a frame that follows the people.
    case live
    /// Robust Video Matting at the largest size with which this machine keeps the rate.
    case high
    /// The best network that is installed, bounded by others (``PortraitSegmenter``), and a finer refinement: a fraction of a second.
    case best
  }

  /// The kind of subject to find in a picture.
  public enum Subject: String, Sendable, CaseIterable, Codable {
    /// People.
    case person
    /// Whatever stands out: things, animals, people.
    case any
  }

  /// Settings for making mattes.
  public struct Options: Sendable {
    /// How much is done.
    public var quality = Quality.live
    /// The network: a known one's name, a JSON description or a model file of a known name; `nil` for MediaPipe's
    /// selfie networks.
    public var model: String?
    /// Which of its classes are foreground; `nil` for persons.
    public var classes: [String]?
    /// The kind of subject to find.
    public var subject = Subject.person
    /// Mattes a second that ``Quality/high`` has to reach, by the choice of its size.
    public var minimumRate = 15.0
    /// The strength of edge refinement, 0…1.
    public var refinement = 1.0
    /// The opacity that becomes one half, 0…1; `nil` for 0.5.
    public var threshold: Double?
    /// Width of an added soft edge in pixels of the picture (standard deviation); 0 for none.
    public var featherPixels = 0.0
    /// The strength of temporal smoothing for streams, 0…1; `nil` for 1.
    public var smoothing: Double?
    /// How many mattes of a stream the network makes in a second, above 0; in between, the last one is drawn to the edges
    /// of the new pictures. `nil` for every frame.
    public var mattesPerSecond: Double?
    /// Whether the network rests for a frame of a stream, after one that it saw, while hardly anything moves: the last matte
    /// is then drawn to the edges of the new picture.
    public var restsWhenCalm = false
    /// A clean plate for streams of a camera that stands still: the same view without people, of any size; it also decides. `nil` for
    /// none. What is not opaque in it is not known.
    public var plate: Image?
    /// Steps that are not taken.
    public var leftOut: Set<MatteStep> = []
    /// Where networks run; `nil` for the processor or a graphics device, whichever is faster.
    public var device: NetworkDevice?
    /// Threads for a run; `nil` for one a processor.
    public var threads: Int?
    /// Whether pictures are told before their turn (``PersonMatteMaker/update(_:from:at:near:next:)``): a network then has a processor's
    /// time while the last matte is drawn.
    public var runsAhead = false

    /// The defaults.
    public init() {}
  }

  /// Depth that belongs to a picture.
  public struct Near {
    /// Registered to the picture.
    public var depth: DepthMap
    /// How far what is near reaches, in metres.
    public var cutoffMetres: () throws(BackdropError) -> Double

    /// Depth whose cutoff may depend on what the network sees.
    public init(_ depth: DepthMap, cutoffMetres: @escaping () throws(BackdropError) -> Double) {
      (self.depth, self.cutoffMetres) = (depth, cutoffMetres)
    }
  }
}
