import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Makes the mattes of a stream or picture with a person-segmentation network, and fits them to the edges of the picture.
///
/// Use one maker for one stream. It is not safe to call from two threads at once.
public final class PersonMatteMaker {
  package let networks: [any PersonSegmenting]
  /// The result of the last picture with ``Quality/best``; `nil` for other qualities.
  package private(set) var lastPortrait: PortraitSegmenter.Result?
  /// The fraction of a frame's time that a network may use of each of its threads: alone, and while it runs ahead.
  private static let shareOfNetwork = 0.6, shareAhead = 0.7
  let refiner: MatteRefiner
  private let portraits: PortraitSegmenter
  /// Finds people who are too small; `nil` if the options or networks do not allow it.
  let search: PersonSearch?
  let closedForm: ClosedFormMatting
  var options: Options
  let smoother: MatteSmoother
  let edgeSmoother: EdgeSmoother
  let change = PictureChange()
  var framing = PersonFraming()
  let plateEstimator: CleanPlateLikelihoodEstimator?
  private let depthEstimator = DepthLikelihoodEstimator()
  let fusion = MatteFusion()
  let secondPass = SecondPass()
  var coarse = Matte(constant: 0, width: 1, height: 1)
  /// The part of the picture under ``coarse``, and that picture's size.
  var coarseFrame: IntegerRect?
  var pictureSize = (width: 0, height: 0)
  /// The size for which the networks are compiled.
  private var prepared = (width: 0, height: 0)
  var lastRun = -Double.infinity
  /// The time of the last picture for which the matte of ``lastRun`` was still valid, because nothing had moved.
  var lastProof = -Double.infinity
  private var prior: Matte?
  var hasRested = false
  /// The fraction of the near area in the last frame with depth that the network recognized as a person, 0…1.
  package var agreementWithDepth: Double { depthEstimator.agreement }
  /// Whether the last frame of a stream began another shot, so that the state of earlier frames is invalid.
  package internal(set) var isNewShot = false
  /// The network's own coarse matte of the picture for the last matte, before depth, plate and threshold, and its part of the picture, as
  /// fractions of width and height; `nil` before the first.
  package var networkPrior: (matte: Matte, frame: Rect)? {
    guard let prior else { return nil }
    guard let frame = coarseFrame, pictureSize.width > 0, pictureSize.height > 0 else {
      return (prior, PersonFrame.whole)
    }
    return (prior, Rect(frame).relative(to: pictureSize))
  }

  /// The sources of the last matte, each with its confidence in that picture, 0…1.
  package internal(set) var confidence: [LikelihoodSource: Double] = [:]

  /// The age of the matte at `time`: since its picture, or since a later picture without movement.
  package func matteAge(at time: Double) -> Double { lastProof.isFinite ? max(0, time - lastProof) : 0 }
  /// The number of network runs so far; a still stream needs few.
  package internal(set) var runCount = 0

  /// Changes settings from the next frame on, as far as a running stream allows: refinement, threshold, smoothing, feather and the rate of
  /// mattes. The maker keeps the state of the stream.
  ///
  /// - Parameter reduction: the matte's size divided by that of the picture for its edges, 1…8; `nil` for the default.
  /// - Throws: `wrongArgument` for options out of range.
  package func change(to wanted: Options, reduction: Int? = nil) throws(BackdropError) {
    try Options.parameters.check(wanted)
    let changed = Self.refinement(wanted, reduction: reduction)
    // A still scene is refined only once, so refine it again.
    if changed != refiner.settings { change.reset() }
    refiner.settings = changed
    smoother.strength = wanted.smoothing ?? 1
    edgeSmoother.strength = smoother.strength
    (options.refinement, options.threshold, options.smoothing) = (wanted.refinement, wanted.threshold, wanted.smoothing)
    (options.featherPixels, options.mattesPerSecond) = (wanted.featherPixels, wanted.mattesPerSecond)
  }

  static func refinement(_ options: Options, reduction: Int? = nil) -> MatteRefinement {
    var refinement: MatteRefinement =
      switch options.quality {
      case .fast, .high: .live
      case .live: .liveOfMany
      case .best: .bestOfNetworks
      }
    refinement.strength = options.refinement
    if let threshold = options.threshold { refinement.threshold = threshold }
    if let reduction { refinement.reduction = reduction }
    return refinement
  }

  /// A maker with the caller's networks: the network with the most similar shape processes each frame of a stream.
  ///
  /// - Throws: `wrongArgument` for options out of range.
  package init(
    _ networks: [any PersonSegmenting], _ options: Options = Options(), search: PersonSearch? = nil, workers: WorkerPool
  ) throws(BackdropError) {
    precondition(!networks.isEmpty, "somebody has to look")
    try Options.parameters.check(options)
    refiner = MatteRefiner(Self.refinement(options), workers: workers)
    self.search = search
    plateEstimator = options.plate.map { CleanPlateLikelihoodEstimator(picture: $0) }
    smoother = MatteSmoother(strength: options.smoothing ?? 1)
    edgeSmoother = EdgeSmoother(strength: smoother.strength)
    (self.networks, self.options) = (networks, options)
    portraits = PortraitSegmenter(networks[0], boundedBy: Array(networks.dropFirst()), without: options.leftOut)
    closedForm = ClosedFormMatting(workers: workers)
  }

  /// Makes the matte of an upright picture, at the picture's size, and reuses `matte` if it has that size. Without refinement the matte may
  /// have the network's size, and the caller scales it.
  ///
  /// - Parameters:
  ///   - matte: always the same one for a stream, because it stays unchanged while nothing moves.
  ///   - time: the frame's time in seconds, for streams.
  ///   - near: depth registered to the picture, and the end of the near range, requested after the network's run: a
  ///     `DepthLikelihoodEstimator` then joins both.
  ///   - next: the stream's next picture, if known: the network processes it while this one's matte is refined.
  /// - Throws: errors of the networks; `wrongArgument` for settings out of range.
  package func update(
    _ matte: inout Matte, from image: Image, at time: Double = 0, near: Near? = nil, next: Image? = nil
  ) throws(BackdropError) {
    switch options.quality {
    case .fast, .live, .high: try updateStream(&matte, image, time, near, next)
    case .best:
      let result = try portraits.segment(image, longerSide: refiner.settings.workingSide ?? 640)
      coarse = result.matte
      remember(coarse)
      lastPortrait = result
      let whole = image.bounds
      confidence[.network] = result.agreement
      try fuse(whole, of: (image.width, image.height), near) { () throws(BackdropError) in
        try image.scaled(toWidth: coarse.width, height: coarse.height)
      }
      try draw(&matte, image, whole, reduced: nil)
    }
  }

  /// Joins the network's matte of `frame`, a part of a picture of `size`, with depth, if there is any, and with the clean plate, if there
  /// is a `small` picture at the network's size to compare with it; no other function does so.
  func fuse(
    _ frame: IntegerRect, of size: (width: Int, height: Int), _ near: Near?, small: () throws(BackdropError) -> Image?
  ) throws(BackdropError) {
    (confidence[.depth], confidence[.plate]) = (nil, nil)
    var likelihoods: [MatteLikelihood] = []
    if let near {
      let likelihood = try depthEstimator.likelihood(
        of: coarse, showing: frame, of: size, depth: near.depth, cutoffMetres: try near.cutoffMetres())
      confidence[.depth] = likelihood.confidence
      likelihoods.append(likelihood)
    }
    if let plateEstimator, let picture = try small() {
      var sofar = coarse
      if !likelihoods.isEmpty { try fusion.join(&sofar, likelihoods) }
      let likelihood = try plateEstimator.likelihood(of: sofar, in: picture)
      confidence[.plate] = likelihood?.confidence ?? 0
      if let likelihood { likelihoods.append(likelihood) }
    }
    if !likelihoods.isEmpty { try fusion.join(&coarse, likelihoods) }
  }

  /// Compiles networks of several sizes for pictures of that size, at the largest input size that keeps the rate. If not called, the first
  /// picture triggers it.
  ///
  /// - Throws: errors of the networks.
  package func prepare(width: Int, height: Int) throws(BackdropError) {
    guard options.quality != .best && prepared != (width, height) else { return }
    for network in networks.compactMap({ $0 as? PersonNetwork }) where !network.description.otherSizes.isEmpty {
      if options.quality == .high {
        // The rest of a frame's time is for reading, refining and writing.
        let share = options.runsAhead ? Self.shareAhead : Self.shareOfNetwork
        let limit = share * 1000 / max(0.1, options.minimumRate)
        var speeds = NetworkSpeeds()
        _ = try speeds.choose(for: network, Image(.bgra8, width: width, height: height), within: limit)
      }
      try network.compile(for: (width, height))
    }
    prepared = (width, height)
  }

  /// The networks that make the mattes, in the order of their runs; in streams with their picture size: `rvm 384×216`.
  package var networkNames: [String] {
    if let lastPortrait { return lastPortrait.networks }
    return networks.compactMap { $0 as? PersonNetwork }
      .map { "\($0.name) \($0.size.width)×\($0.size.height)" }
  }

  /// Passes a part of the picture to the network with the most similar shape, and compares it with the last picture's.
  func loaded(_ image: Image, _ frame: IntegerRect) throws(BackdropError) -> any PersonSegmenting {
    let network = networks.fitting(frame)
    try network.load(image, frame: frame)
    try change.compare(network.small, showing: frame)
    return network
  }

  /// Warnings and notes, a sentence each.
  package var warnings: [BackdropError] {
    networks.compactMap { $0 as? PersonNetwork }.flatMap(\.warnings)
      .reduce(into: []) { list, next in if !list.contains(where: { $0.message == next.message }) { list.append(next) } }
  }

  func run(_ network: any PersonSegmenting) throws(BackdropError) {
    try network.run(into: &coarse)
    runCount += 1
  }

  /// Keeps the network's matte, in separate memory.
  func remember(_ matte: Matte) {
    var kept = prior.take() ?? Matte(constant: 0, width: 1, height: 1)
    kept.q15.copy(matte.q15)
    prior = kept
  }

  /// Forces a new matte for the next frame, even if nothing moves.
  package func expire() { change.reset() }

  /// Discards the state of the stream: the next picture is its first.
  func forget() {
    framing.reset()
    change.reset()
    forgetResults()
    plateEstimator?.reset()
    (coarseFrame, lastProof, prior) = (nil, -.infinity, nil)
    for network in networks { network.reset() }
  }

  /// Discards earlier mattes, so that none smooths the next one.
  func forgetResults() {
    smoother.reset()
    edgeSmoother.reset()
    secondPass.reset()
  }

  func omits(_ step: MatteStep) -> Bool { options.leftOut.contains(step) }
}
