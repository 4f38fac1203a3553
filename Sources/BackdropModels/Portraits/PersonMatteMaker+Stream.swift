import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Mattes of a stream: each picture goes through a list of steps.
extension PersonMatteMaker {
  /// A change up to this, between 0 and 1, is an edge that moved by less than a sample of the network's picture.
  private static let calm: Float = 25.0 / 255
  /// The maximum age of a matte while something moves, at any rate of mattes, in seconds.
  private static let oldest = 0.5
  /// How often a network with memory processes a shot's first picture.
  private static let firstRuns = 3

  /// A picture on its way through the steps.
  struct FrameState {
    let image: Image
    let time: Double
    let near: Near?
    /// The part of the picture that the network sees, and the network.
    var frame: IntegerRect
    var network: any PersonSegmenting
    /// The movement since the picture of the last matte; `nil` if that was of another part.
    var movement: PictureChange.Movement?
    /// Whether the last matte may serve this picture: only people moved, and the network needs not see every picture.
    var mayWait = false
    /// Whether the stream has no matte yet.
    var isFirst = false
    /// Further results for the picture.
    var likelihood: MatteLikelihood?

    var isWhole: Bool { frame.width == image.width && frame.height == image.height }
  }

  private typealias Step = @Sendable (PersonMatteMaker, inout FrameState) throws(BackdropError) -> Void

  /// The steps to a new matte, in their order. Those with a name can be left out.
  private static let steps: [(name: MatteStep?, perform: Step)] = [
    (nil, { (maker, state) throws(BackdropError) in try maker.runNetwork(&state) }),
    (.secondPass, { (maker, state) throws(BackdropError) in try maker.runSecondPass(&state) }),
    // The second pass may reject a region for a moment, which would then stay outside the frame. Depth rejects nothing temporarily.
    (.frame, { (maker, state) throws(BackdropError) in if state.near == nil { maker.chooseFrame(state) } }),
    (nil, { (maker, state) throws(BackdropError) in try maker.join(state) }),
    (nil, { (maker, state) throws(BackdropError) in maker.keep(state) }),
    (nil, { (maker, state) throws(BackdropError) in try maker.fuse(state) }),
    // Before smoothing, because a persistent error would mislead it.
    (.frame, { (maker, state) throws(BackdropError) in if state.near != nil { maker.chooseFrame(state) } }),
    (.smoothing, { (maker, state) throws(BackdropError) in try maker.smooth(state) }),
    (.search, { (maker, state) throws(BackdropError) in try maker.searchOutside(state) }),
    (nil, { (maker, _) throws(BackdropError) in maker.change.remember() }),
  ]

  func updateStream(
    _ matte: inout Matte, _ image: Image, _ time: Double, _ near: Near?, _ next: Image?
  ) throws(BackdropError) {
    framing.knowsWhole = plateEstimator != nil
    framing.depth = near?.depth
    // Release the depth: a second reference would make in-place filtering of the next scene copy it.
    defer { framing.depth = nil }
    var state = try compare(image, time, near)
    if state.mayWait && change.isStill {
      lastProof = time
      let isFitting = matte.width == image.width && matte.height == image.height
      if isFitting && refiner.settings.strength > 0 { return }
    }
    if needsMatte(state) {
      for step in Self.steps where step.name.map({ !omits($0) }) ?? true { try step.perform(self, &state) }
    }
    if let next { try anticipate(next, after: state) }
    // The network's own picture also serves as the guide, if it was made the same way.
    try draw(&matte, image, state.frame, reduced: state.network.isAveraged ? state.network.small : nil)
  }

  // MARK: - Before a new matte

  /// Compares a picture with the last one, chooses the part for the network, and forgets the state of another shot.
  private func compare(_ image: Image, _ time: Double, _ near: Near?) throws(BackdropError) -> FrameState {
    let (isOtherSize, hasSeen) = (pictureSize != (image.width, image.height), pictureSize != (0, 0))
    if isOtherSize { forget() }
    pictureSize = (image.width, image.height)
    if isOtherSize { try prepare(width: image.width, height: image.height) }
    let frame = framing.region(width: image.width, height: image.height)
    let network = try loaded(image, frame)
    let movement = change.movement(round: coarseFrame == frame ? coarse : nil)
    var state = FrameState(image: image, time: time, near: near, frame: frame, network: network, movement: movement)
    let isOtherShot = movement?.isOtherShot ?? false
    isNewShot = isOtherSize && hasSeen || isOtherShot
    // It could be the same shot in another light, but earlier mattes tell nothing about this one.
    if change.isCut || (movement?.other ?? 0) > 0.5 { forgetResults() }
    if isOtherShot || change.isCut && !framing.isWhole && !(movement?.isShifted ?? false) {
      // The followed person is gone, and the new shot is unknown.
      if isOtherShot { forget() } else { framing.reset() }
      change.reset()
      try choosePart(&state)
    }
    state.isFirst = coarseFrame == nil
    secondPass.begin()
    if state.isFirst { try begin(&state) }
    // A network with memory must see every frame, and a matte fits another picture only if nothing but the people moved.
    state.mayWait =
      coarseFrame == state.frame && !state.network.hasMemory && !isNewShot && !change.isCut
      && movement?.isOfPeopleAlone ?? false
    return state
  }

  /// Passes the part of the picture that shows the people to its network.
  private func choosePart(_ state: inout FrameState) throws(BackdropError) {
    state.frame = framing.region(width: state.image.width, height: state.image.height)
    state.network = try loaded(state.image, state.frame)
  }

  /// Processes a shot's first picture until its matte is as good as later ones: it fills a memory, and examines small people in close-up
  /// at once.
  private func begin(_ state: inout FrameState) throws(BackdropError) {
    try run(state.network)
    if state.network.hasMemory {
      for _ in 1..<Self.firstRuns { try run(state.network) }
      return
    }
    guard options.quality != .fast && !omits(.frame) else { return }
    framing.follow(coarse)
    guard !framing.isWhole else { return }
    secondPass.sawWhole(&coarse)
    try choosePart(&state)
    try run(state.network)
  }

  private func needsMatte(_ state: FrameState) -> Bool {
    let isYoung = matteAge(at: state.time) < Self.oldest
    let isEarly =
      options.mattesPerSecond.map { state.time < lastRun + (1 - 1e-6) / $0 && state.time >= lastRun } ?? false
    hasRested =
      options.restsWhenCalm && state.mayWait && !hasRested && isYoung
      && (change.largest(outside: coarse) ?? 1) <= Self.calm
    return !(state.mayWait && (isEarly && isYoung || change.isStill) || hasRested)
  }

  // MARK: - Steps

  /// The network's result for the picture; the first one has it already.
  private func runNetwork(_ state: inout FrameState) throws(BackdropError) {
    guard !state.isFirst else { return }
    try run(state.network)
    guard !framing.isWhole && !state.network.hasMemory && !PersonFraming.isAnybody(in: coarse) else { return }
    // People who left the frame may be elsewhere in this picture already.
    framing.reset()
    try choosePart(&state)
    try run(state.network)
    if PersonFraming.isAnybody(in: coarse) { forgetResults() }
  }

  private func runSecondPass(_ state: inout FrameState) throws(BackdropError) {
    guard !state.network.hasMemory && options.quality != .fast else { return }
    state.likelihood = try secondPass.likelihood(
      of: state.image, state.frame, beside: coarse, of: state.network, among: networks)
    runCount += secondPass.drainRunCount()
  }

  /// Chooses the part of the next picture.
  private func chooseFrame(_ state: FrameState) {
    guard !state.network.hasMemory && options.quality != .fast else { return }
    if let whole = secondPass.whole, !framing.isWhole {
      framing.check(whole)
      guard !framing.isWhole else { return }
    }
    framing.follow(coarse)
  }

  private func join(_ state: FrameState) throws(BackdropError) {
    // Some networks answer in another size than requested.
    guard let likelihood = state.likelihood, change.isComparing(coarse) else { return }
    try fusion.join(&coarse, [likelihood])
  }

  private func keep(_ state: FrameState) {
    (lastRun, lastProof) = (state.time, state.time)
    coarseFrame = state.frame
    remember(coarse)
    confidence[.network] = coarse.certainty
  }

  private func fuse(_ state: FrameState) throws(BackdropError) {
    let small = state.network.small
    // Some networks answer in another size than requested, and a plate covers only the whole picture.
    let isComparable = state.isWhole && small.width == coarse.width && small.height == coarse.height
    try fuse(state.frame, of: pictureSize, state.near) { () throws(BackdropError) in isComparable ? small : nil }
  }

  private func smooth(_ state: FrameState) throws(BackdropError) {
    // Networks with memory smooth over time themselves.
    guard !state.network.hasMemory && change.isComparing(coarse) else { return }
    try smoother.smooth(&coarse, with: change, showing: state.frame)
  }

  /// Looks for people in parts of a picture that shows nobody.
  private func searchOutside(_ state: FrameState) throws(BackdropError) {
    guard !state.isFirst && state.near == nil && framing.isWhole && framing.seesNobody,
      let area = try search?.findPerson(in: state.image)
    else { return }
    framing.turn(to: area)
  }

  /// Lets the network process the next picture while this one's matte is refined, if it will use the same part.
  private func anticipate(_ next: Image, after state: FrameState) throws(BackdropError) {
    if state.network.hasMemory { return try state.network.anticipate(next, frame: nil) }
    // The network need not run at all while nothing moves.
    guard !change.isStill, options.mattesPerSecond == nil,
      framing.region(width: next.width, height: next.height) == state.frame,
      networks.fitting(state.frame) === state.network
    else { return }
    try state.network.anticipate(next, frame: state.frame)
  }
}
