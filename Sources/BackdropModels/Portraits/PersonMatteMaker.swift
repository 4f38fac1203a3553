import BackdropImaging
import BackdropMatting

/// Makes the mattes of a stream, or of a picture, from what a person-segmentation network sees: found, then drawn to the
/// edges of the picture.
///
/// One stream, one maker: it is not safe to call from two threads at once.
public final class PersonMatteMaker {
  /// How much is done for a picture.
  public enum Effort: String, Sendable, CaseIterable, Codable {
    /// One run of the network a frame.
    case live
    /// Many runs on several frames of the picture (``PortraitSegmenter``), and a finer refinement: a fraction of a
    /// second.
    case best
  }

  /// How to make mattes, where the effort leaves it open.
  public struct Options: Sendable {
    /// How much is done.
    public var effort = Effort.live
    /// The network: a known one's name, a JSON description or a model file of a known name; `nil` for MediaPipe's
    /// selfie networks.
    public var model: String?
    /// Which of its classes are foreground; `nil` for persons.
    public var classes: [String]?
    /// How much the picture's edges decide, 0…1; `nil` for 1.
    public var refinement: Double?
    /// The opacity that becomes one half, 0…1; `nil` for 0.5.
    public var threshold: Double?
    /// Width of an added soft edge in pixels of the picture (standard deviation); 0 for none.
    public var featherPixels = 0.0
    /// How much the mattes of a stream are steadied, 0…1; `nil` for 1.
    public var smoothing: Double?
    /// Threads for a run; `nil` for one a processor.
    public var threads: Int?

    /// The defaults.
    public init() {}
  }

  /// What runs.
  public let networks: [PersonNetwork]
  /// The part of the last frame's frame of the picture that was believed, and how well the networks agreed on it; `nil`
  /// when live.
  public private(set) var lastPortrait: PortraitSegmenter.Result?
  private let effort: Effort
  private let refiner: MatteRefiner
  private let portraits: PortraitSegmenter
  private let smoother: MatteSmoother
  private let featherPixels: Double
  private var coarse = Matte(constant: 0, width: 1, height: 1)

  /// Loads the networks, or takes those of `shelf` that are loaded already.
  ///
  /// - Throws: `unsupported` if the runtime or a model is not installed; `wrongArgument` for an unknown network or class,
  ///   or options out of range.
  public static func load(
    _ options: Options, workers: WorkerPool, networks shelf: NetworkShelf = NetworkShelf()
  ) throws(BackdropError) -> PersonMatteMaker {
    try check(options.refinement, "refine", 0...1)
    try check(options.threshold, "threshold", 0.05...0.95)
    try check(options.smoothing, "smooth", 0...1)
    try check(options.featherPixels, "feather", 0...100)
    let chosen: [NetworkDescription]
    if let model = options.model {
      chosen = [try description(model)]
    } else {
      chosen = options.effort == .live ? [.selfieLandscape] : [.selfieGeneral, .selfieLandscape]
    }
    var networks: [PersonNetwork] = []
    for description in chosen {
      networks.append(
        try shelf.network(description, classes: options.classes, threads: options.threads ?? workers.threadCount))
    }
    var refinement: MatteRefinement = options.effort == .live ? .live : .best
    if let strength = options.refinement { refinement.strength = strength }
    if let threshold = options.threshold { refinement.threshold = threshold }
    return PersonMatteMaker(
      networks, effort: options.effort, refiner: MatteRefiner(refinement, workers: workers), workers: workers,
      smoothing: options.smoothing ?? 1, featherPixels: options.featherPixels)
  }

  private static func check(
    _ value: Double?, _ name: String, _ range: ClosedRange<Double>
  ) throws(BackdropError) {
    guard let value, !range.contains(value) else { return }
    throw BackdropError(
      .wrongArgument, "\(name) \(value) is out of range: \(range.lowerBound)…\(range.upperBound)",
      hint: "leave it out for the default")
  }

  /// The network that a person names.
  static func description(_ name: String) throws(BackdropError) -> NetworkDescription {
    if let known = NetworkDescription.named(name) { return known }
    if name.hasSuffix(".json") { return try NetworkDescription.load(name) }
    let names = NetworkDescription.all.map(\.id).joined(separator: ", ")
    guard [".tflite", ".onnx", ".xml"].contains(where: name.hasSuffix) else {
      throw BackdropError(.wrongArgument, "there is no network '\(name)'", hint: "there are \(names)")
    }
    let file = name.split(separator: "/").last.map(String.init) ?? name
    guard var known = NetworkDescription.all.first(where: { $0.file == file }) else {
      throw BackdropError(
        .wrongArgument, "nothing is known of this network", path: name,
        hint: "give a JSON description with file, width and height, such as "
          + "{\"file\": \"\(file)\", \"width\": 256, \"height\": 256}")
    }
    guard FileKind(name) == .file else {
      throw BackdropError(.wrongArgument, "no such model file", path: name, hint: "check the name")
    }
    known.file = name.hasPrefix("/") ? name : "./" + name
    return known
  }

  private init(
    _ networks: [PersonNetwork], effort: Effort, refiner: MatteRefiner, workers: WorkerPool, smoothing: Double,
    featherPixels: Double
  ) {
    smoother = MatteSmoother(strength: smoothing)
    self.networks = networks
    self.effort = effort
    self.refiner = refiner
    self.featherPixels = featherPixels
    portraits = PortraitSegmenter(networks, workers: workers)
  }

  /// Makes the matte of an upright picture, at the picture's size; reused if it has it.
  public func update(_ matte: inout Matte, from image: Image) throws(BackdropError) {
    switch effort {
    case .live:
      try networks[0].update(&coarse, from: image)
      // Some networks answer at another size than they are asked.
      if networks[0].small.width == coarse.width && networks[0].small.height == coarse.height {
        try smoother.smooth(&coarse, with: networks[0].small)
      }
    case .best:
      let result = try portraits.segment(image, longerSide: refiner.settings.workingSide ?? 640)
      coarse = result.matte
      lastPortrait = result
    }
    try refiner.refine(coarse, of: image, into: &matte)
    if featherPixels > 0 { matte = Matte(q15: try matte.q15.blurred(sigma: featherPixels)) }
  }
}
