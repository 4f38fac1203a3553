import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Makes the mattes of a stream or picture with a person-segmentation network, and fits them to the edges of the picture.
///
/// Use one maker for one stream. It is not safe to call from two threads at once.
public final class PersonMatteMaker {
  /// The networks that run.
  public let networks: [any PersonSegmenting]
  /// The result of the last picture with ``Quality/best``; `nil` for other qualities.
  public private(set) var lastPortrait: PortraitSegmenter.Result?
  /// A change up to this, between 0 and 1, is an edge that moved by less than a sample of the network's picture.
  private static let calm: Float = 25.0 / 255
  /// The maximum age of a matte while something moves, at any rate of mattes, in seconds.
  private static let oldest = 0.5
  /// The fraction of a frame's time that a network may use of each of its threads: alone, and while it runs ahead.
  private static let shareOfNetwork = 0.6, shareAhead = 0.7
  /// How often a network with memory processes a scene's first picture.
  private static let firstRuns = 3
  let refiner: MatteRefiner
  private let portraits: PortraitSegmenter
  /// Finds people who are too small; `nil` if the options or networks do not allow it.
  private let search: PersonSearch?
  let closedForm: ClosedFormMatting
  var options: Options
  private let smoother: MatteSmoother
  let edgeSmoother: EdgeSmoother
  let change = PictureChange()
  private var framing = PersonFraming()
  private let plateEstimator: CleanPlateLikelihoodEstimator?
  private let depthEstimator = DepthLikelihoodEstimator()
  private let fusion = MatteFusion()
  private let secondPass = SecondPass()
  var coarse = Matte(constant: 0, width: 1, height: 1)
  /// The part of the picture under ``coarse``, and that picture's size.
  private var coarseFrame: IntegerRect?
  private var pictureSize = (width: 0, height: 0)
  /// The size for which the networks are compiled.
  private var prepared = (width: 0, height: 0)
  private var lastRun = -Double.infinity
  /// The time of the last picture for which the matte of ``lastRun`` was still valid, because nothing had moved.
  private var lastProof = -Double.infinity
  private var prior: Matte?
  private var hasRested = false
  /// The fraction of the near area in the last frame with depth that the network recognized as a person, 0…1.
  public var agreementWithDepth: Double { depthEstimator.agreement }
  /// Whether the last frame of a stream began another scene, so that the state of earlier frames is invalid.
  package private(set) var isNewScene = false
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
  public private(set) var confidence: [LikelihoodSource: Double] = [:]

  /// The age of the matte at `time`: since its picture, or since a later picture without movement.
  public func matteAge(at time: Double) -> Double { lastProof.isFinite ? max(0, time - lastProof) : 0 }
  /// The number of network runs so far; a still stream needs few.
  public private(set) var runCount = 0

  /// Changes settings from the next frame on, as far as a running stream allows: refinement, threshold, smoothing, feather and the rate of
  /// mattes. The maker keeps the state of the stream.
  ///
  /// - Parameters:
  ///   - wanted: the options.
  ///   - reduction: the matte's size divided by that of the picture for its edges, 1…8; `nil` for the default.
  /// - Throws: `wrongArgument` for options out of range.
  public func change(to wanted: Options, reduction: Int? = nil) throws(BackdropError) {
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
  public convenience init(
    _ networks: [any PersonSegmenting], _ options: Options = Options(), workers: WorkerPool
  ) throws(BackdropError) {
    precondition(!networks.isEmpty, "somebody has to look")
    try Options.parameters.check(options)
    self.init(
      networks, options, refiner: MatteRefiner(Self.refinement(options), workers: workers), workers: workers)
  }

  init(
    _ networks: [any PersonSegmenting], _ options: Options, refiner: MatteRefiner, search: PersonSearch? = nil,
    workers: WorkerPool
  ) {
    self.search = search
    plateEstimator = options.plate.map { CleanPlateLikelihoodEstimator(picture: $0) }
    smoother = MatteSmoother(strength: options.smoothing ?? 1)
    edgeSmoother = EdgeSmoother(strength: smoother.strength)
    self.networks = networks
    self.options = options
    self.refiner = refiner
    portraits = PortraitSegmenter(networks[0], boundedBy: Array(networks.dropFirst()), without: options.leftOut)
    closedForm = ClosedFormMatting(workers: workers)
  }

  /// Makes the matte of an upright picture, at the picture's size, and reuses `matte` if it has that size. Without refinement the matte may
  /// have the network's size, and the caller scales it.
  ///
  /// - Parameters:
  ///   - matte: always the same one for a stream, because it stays unchanged while nothing moves.
  ///   - image: the picture.
  ///   - time: the frame's time in seconds, for streams.
  ///   - near: depth registered to the picture, and the end of the near range, requested after the network's run: a
  ///     ``/BackdropMatting/DepthLikelihoodEstimator`` then joins both.
  ///   - next: the stream's next picture, if known: the network processes it while this one's matte is refined.
  /// - Throws: errors of the networks; `wrongArgument` for settings out of range.
  public func update(
    _ matte: inout Matte, from image: Image, at time: Double = 0, near: Near? = nil, next: Image? = nil
  ) throws(BackdropError) {
    switch options.quality {
    case .fast, .live, .high: try updateLive(&matte, image, time, near, next)
    case .best:
      let result = try portraits.segment(image, longerSide: refiner.settings.workingSide ?? 640)
      coarse = result.matte
      remember(coarse)
      lastPortrait = result
      let whole = IntegerRect(x: 0, y: 0, width: image.width, height: image.height)
      confidence[.network] = result.agreement
      try fuse(whole, of: (image.width, image.height), near) { () throws(BackdropError) in
        try image.scaled(toWidth: coarse.width, height: coarse.height)
      }
      try draw(&matte, image, whole, reduced: nil)
    }
  }

  private func updateLive(
    _ matte: inout Matte, _ image: Image, _ time: Double, _ near: Near?, _ next: Image?
  ) throws(BackdropError) {
    let (isOtherSize, hasSeen) = (pictureSize != (image.width, image.height), pictureSize != (0, 0))
    if isOtherSize { forget() }
    pictureSize = (image.width, image.height)
    if isOtherSize { try prepare(width: image.width, height: image.height) }
    framing.knowsWhole = plateEstimator != nil
    framing.depth = near?.depth
    // Release the depth: a second reference would make in-place filtering of the next scene copy it.
    defer { framing.depth = nil }
    var frame = framing.region(width: image.width, height: image.height)
    var network = try look(at: image, frame)
    let movement = change.movement(round: coarseFrame == frame ? coarse : nil)
    let isOtherScene = movement?.isOtherScene ?? false
    isNewScene = isOtherSize && hasSeen || isOtherScene
    // It could be the same scene in another light, but earlier mattes tell nothing about this one.
    if change.isCut || (movement?.other ?? 0) > 0.5 { forgetResults() }
    if isOtherScene || change.isCut && !framing.isWhole && !(movement?.isShifted ?? false) {
      // The followed person is gone, and the new scene is unknown.
      if isOtherScene { forget() } else { framing.reset() }
      change.reset()
      frame = framing.region(width: image.width, height: image.height)
      network = try look(at: image, frame)
    }
    let isFirst = coarseFrame == nil
    secondPass.begin()
    if isFirst { (frame, network) = try meet(image, frame, network) }
    // A network with memory must see every frame, and a matte fits another picture only if nothing but the people moved.
    let mayWait =
      coarseFrame == frame && !network.hasMemory && !isNewScene && !change.isCut && movement?.isOfPeopleAlone ?? false
    if mayWait && change.isStill { lastProof = time }
    let isFitting = matte.width == image.width && matte.height == image.height
    if mayWait && change.isStill && isFitting && refiner.settings.strength > 0 { return }
    let isEarly =
      options.mattesPerSecond.map { time < lastRun + (1 - 1e-6) / $0 && time >= lastRun } ?? false
      && matteAge(at: time) < Self.oldest
    let isResting =
      options.restsWhenCalm && mayWait && !hasRested && (change.largest(outside: coarse) ?? 1) <= Self.calm
      && matteAge(at: time) < Self.oldest
    hasRested = isResting
    if !(mayWait && (isEarly || change.isStill) || isResting) {
      if !isFirst { try run(network) }
      if !isFirst && !framing.isWhole && !network.hasMemory && !PersonFraming.isAnybody(in: coarse) {
        // People who left the frame may be elsewhere in this picture already.
        framing.reset()
        frame = framing.region(width: image.width, height: image.height)
        network = try look(at: image, frame)
        try run(network)
        if PersonFraming.isAnybody(in: coarse) { forgetResults() }
      }
      if !network.hasMemory && options.quality != .fast {
        let likelihood =
          leaves(.looks)
          ? nil : try secondPass.likelihood(of: image, frame, beside: coarse, of: network, among: networks)
        runCount += secondPass.takeRunCount()
        // A region rejected for a moment by the second pass would stay outside the frame. Depth rejects nothing temporarily.
        if near == nil { chooseFrame() }
        // Some networks answer in another size than requested.
        if let likelihood, change.isComparing(coarse) { try fusion.join(&coarse, [likelihood]) }
      }
      (lastRun, lastProof) = (time, time)
      coarseFrame = frame
      remember(coarse)
      confidence[.network] = coarse.certainty
      let small = network.small
      // Some networks answer in another size than requested, and a plate covers only the whole picture.
      let isWhole = frame.width == image.width && frame.height == image.height
      try fuse(frame, of: pictureSize, near) { () throws(BackdropError) in
        isWhole && small.width == coarse.width && small.height == coarse.height ? small : nil
      }
      // Choose the frame before smoothing, because a persistent error would mislead it.
      if near != nil && !network.hasMemory && options.quality != .fast { chooseFrame() }
      // Networks with memory smooth over time themselves.
      if !network.hasMemory && !leaves(.smoothing) && change.isComparing(coarse) {
        try smoother.smooth(&coarse, with: change, showing: frame)
      }
      if !leaves(.search) && !isFirst && near == nil && framing.isWhole && framing.seesNobody,
        let place = try search?.lookAround(image)
      {
        framing.turn(to: place)
      }
      change.remember()
    }
    if let next { try anticipate(next, after: frame, network) }
    // The network's own picture also serves as the guide, if it was made the same way.
    try draw(&matte, image, frame, reduced: network.isAveraged ? network.small : nil)
  }

  /// Lets the network process the next picture while this one's matte is refined, if it will use the same part.
  private func anticipate(
    _ next: Image, after frame: IntegerRect, _ network: any PersonSegmenting
  ) throws(BackdropError) {
    if network.hasMemory { return try network.anticipate(next, frame: nil) }
    // The network need not run at all while nothing moves.
    guard !change.isStill, options.mattesPerSecond == nil,
      framing.region(width: next.width, height: next.height) == frame, networks.fitting(frame) === network
    else { return }
    try network.anticipate(next, frame: frame)
  }

  /// Joins the network's matte with depth and the clean plate; no other function does so.
  ///
  /// - Parameters:
  ///   - frame: the network's part of a picture of `size`.
  ///   - near: depth, if there is any.
  ///   - small: the picture at the network's size, if it can be compared with the plate.
  private func fuse(
    _ frame: IntegerRect, of size: (width: Int, height: Int), _ near: Near?,
    small: () throws(BackdropError) -> Image?
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
  public var networkNames: [String] {
    if let lastPortrait { return lastPortrait.networks }
    return networks.compactMap { $0 as? PersonNetwork }
      .map { "\($0.name) \($0.size.width)×\($0.size.height)" }
  }

  /// Passes a part of the picture to the network with the most similar shape, and compares it with the last picture's.
  private func look(at image: Image, _ frame: IntegerRect) throws(BackdropError) -> any PersonSegmenting {
    let network = networks.fitting(frame)
    try network.look(at: image, frame: frame)
    try change.compare(network.small, showing: frame)
    return network
  }

  /// Warnings and notes, a sentence each.
  package var warnings: [BackdropError] {
    networks.compactMap { $0 as? PersonNetwork }.flatMap(\.warnings)
      .reduce(into: []) { list, next in if !list.contains(where: { $0.message == next.message }) { list.append(next) } }
  }

  private func run(_ network: any PersonSegmenting) throws(BackdropError) { try run(network, into: &coarse) }

  private func run(_ network: any PersonSegmenting, into matte: inout Matte) throws(BackdropError) {
    try network.run(into: &matte)
    runCount += 1
  }

  /// Processes a scene's first picture until its matte is as good as later ones: it fills a memory, and examines small people in close-up
  /// at once.
  ///
  /// - Returns: the part of the picture that the matte is of, and the network that made it.
  private func meet(
    _ image: Image, _ frame: IntegerRect, _ network: any PersonSegmenting
  ) throws(BackdropError) -> (IntegerRect, any PersonSegmenting) {
    try run(network)
    if network.hasMemory {
      for _ in 1..<Self.firstRuns { try run(network) }
      return (frame, network)
    }
    guard options.quality != .fast && !leaves(.frame) else { return (frame, network) }
    framing.follow(coarse)
    guard !framing.isWhole else { return (frame, network) }
    secondPass.sawWhole(&coarse)
    let part = framing.region(width: image.width, height: image.height)
    let closer = try look(at: image, part)
    try run(closer)
    return (part, closer)
  }

  /// Keeps the network's matte, in separate memory.
  private func remember(_ matte: Matte) {
    var kept = prior.take() ?? Matte(constant: 0, width: 1, height: 1)
    kept.q15.fit(matte.width, matte.height)
    let (stride, from) = (kept.q15.stride, matte.q15.stride)
    matte.q15.withUnsafePointer { source in
      kept.q15.withUnsafeMutablePointer { target in
        for y in 0..<matte.height { (target + y * stride).update(from: source + y * from, count: matte.width) }
      }
    }
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
  private func forgetResults() {
    smoother.reset()
    edgeSmoother.reset()
    secondPass.reset()
  }

  func leaves(_ step: MatteStep) -> Bool { options.leftOut.contains(step) }

  private func chooseFrame() {
    if leaves(.frame) { return }
    if let whole = secondPass.whole, !framing.isWhole {
      framing.check(whole)
      guard !framing.isWhole else { return }
    }
    framing.follow(coarse)
  }
}
