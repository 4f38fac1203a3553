import BackdropDepth
import BackdropImaging

extension PersonMatteMaker {
  /// The trade-off between speed and quality.
  public enum Quality: String, Sendable, CaseIterable, Codable {
    /// One run of a selfie network per frame, on the whole picture.
    case fast
    /// As ``fast``, on a frame that follows the people.
    case live
    /// Robust Video Matting at the largest size at which this machine keeps the rate.
    case high
    /// The best installed network, limited by others (`PortraitSegmenter`), and a finer refinement: a fraction of a second.
    case best
  }

  /// The kind of subject to find in a picture.
  public enum Subject: String, Sendable, CaseIterable, Codable {
    /// People.
    case person
    /// Anything that stands out: objects, animals, people.
    case any
  }

  /// Settings for making mattes.
  public struct Options: Sendable {
    /// The amount of work.
    public var quality = Quality.live
    /// The network: a known name, a JSON description or a model file of a known name; `nil` for MediaPipe's selfie networks.
    public var model: String?
    /// The foreground classes; `nil` for persons.
    public var classes: [String]?
    /// The kind of subject to find.
    public var subject = Subject.person
    /// Mattes per second that ``Quality/high`` must reach; it determines the size.
    public var minimumRate = 15.0
    /// The strength of edge refinement, 0…1.
    public var refinement = 1.0
    /// The opacity that becomes one half, 0…1; `nil` for 0.5.
    public var threshold: Double?
    /// The width of an added soft edge in pixels of the picture (standard deviation); 0 for none.
    public var featherPixels = 0.0
    /// The strength of temporal smoothing for streams, 0…1; `nil` for 1.
    public var smoothing: Double?
    /// The network's mattes per second in a stream, above 0; in between, the last one is fitted to the edges of the new pictures. `nil` for
    /// every frame.
    public var mattesPerSecond: Double?
    /// Whether the network rests for a frame of a stream, after one that it processed, while hardly anything moves: the last matte is then
    /// fitted to the edges of the new picture.
    public var restsWhenCalm = false
    /// A clean plate for streams of a static camera: the same view without people, of any size, as additional evidence. `nil` for none.
    /// Parts that are not opaque are unknown.
    public var plate: Image?
    package var leftOut: Set<MatteStep> = []
    /// The device for networks; `nil` for the processor or a graphics device, whichever is faster.
    public var device: NetworkDevice?
    /// The threads of a run; `nil` for one per processor.
    public var threads: Int?
    /// Whether the caller announces pictures ahead (`PersonMatteMaker.update(_:from:at:near:next:)`): a network then uses a processor's
    /// time while the last matte is refined.
    public var runsAhead = false

    /// The defaults.
    public init() {}
  }

  /// Depth that belongs to a picture.
  package struct Near {
    /// The depth, registered to the picture.
    package var depth: DepthMap
    /// The end of the near range, in metres.
    package var cutoffMetres: () throws(BackdropError) -> Double

    /// Depth whose cutoff may depend on the network's result.
    package init(_ depth: DepthMap, cutoffMetres: @escaping () throws(BackdropError) -> Double) {
      (self.depth, self.cutoffMetres) = (depth, cutoffMetres)
    }
  }
}
