import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels

/// Takes every frame of an input through its matte and a look to one or two outputs.
public struct Job {
  /// What to do.
  public struct Plan {
    /// The look.
    public var look: Look = .backdrop
    /// What its parameters are set to.
    public var wishes: [String: Double] = [:]
    /// What is behind; `nil` is black, ``JobBackground/none`` leaves it transparent.
    public var background: String?
    /// What mattes are made from.
    public var matte = MatteChoice.auto
    /// How mattes are made from pictures.
    public var person = PersonMatteMaker.Options()
    /// How much is done for each of them; `nil` for the best for a picture, and what keeps up with a video.
    public var effort: PersonMatteMaker.Effort?
    /// Whether the foreground's own colours are estimated where mattes are soft, so that the old background does not shine
    /// through; `nil` does so where the person network makes the mattes with its best effort. Mattes from depth alone are soft
    /// because a look wants it.
    public var decontaminate: Bool?
    /// How much light of the background falls round the person's edges, 0…1.
    public var lightWrap = 0.0
    /// Whether a picture of the room votes on the network's mattes.
    public var plate = JobPlate.automatic
    /// What cleans the depth of each frame before its matte is made.
    public var depthFilter = DepthFilterChain.raw
    /// Whether the gap between near things and the room decides the cutoff as long as no face is seen.
    public var findsGap = false
    /// Whether faces decide the cutoff.
    public var followsFace = true
    /// Which of several faces do.
    public var faces = DepthMatteRecipe.FaceChoice.largest
    /// Where the drawn frames go.
    public var output: String?
    /// Where the mattes go, at the frame's size.
    public var matteOutput: String?
    /// How both are written.
    public var options = JobOutput.Options()
    /// Threads for drawing; `nil` for one a processor.
    public var threads: Int?

    /// A plan that writes nothing yet.
    public init() {}
  }

  /// What mattes are made from.
  public enum MatteChoice: String, Sendable, Codable, CaseIterable {
    /// By the person network, joined with depth where the input has it; from depth alone for looks that want another shape of
    /// matte than ``Look/backdrop``, or where no network is installed. A photo's own portrait matte is taken as it is, unless the
    /// plan asks something of the network.
    case auto
    /// From depth alone.
    case depth
    /// By the person network.
    case person
  }

  private let input: JobInput
  private let plan: Plan
  private let networks: NetworkShelf
  private let settings: LookSettings

  /// Checks the plan before anything is read or written.
  ///
  /// - Parameter networks: where networks come from that were loaded for another job; that is done first.
  /// - Throws: what is wrong with the look's settings; `wrongArgument` if both outputs are the same, there is none, or
  ///   one of them is something that the job reads.
  public init(
    _ input: JobInput, _ plan: Plan, networks: NetworkShelf = NetworkShelf()
  ) throws(BackdropError) {
    guard plan.output != nil || plan.matteOutput != nil else {
      throw BackdropError(.wrongArgument, "there is no output", hint: "name one with -o")
    }
    try plan.checkPlaces(input)
    try plan.checkTransparency()
    try plan.checkOutputs(input)
    try plan.checkLight()
    try plan.checkLook()
    self.input = input
    self.plan = plan
    self.networks = networks
    settings = try plan.look.settings(plan.wishes)
  }

  /// Does the work; nothing is left behind unless all of it succeeds.
  ///
  /// A frame without a usable matte is replaced by a still card, never shown, and reported. Frames of videos are read, drawn
  /// and written side by side; `progress`, `isInterrupted` and `observe` are called on the caller's thread.
  ///
  /// - Parameters:
  ///   - progress: told the number of frames done after each.
  ///   - isInterrupted: asked before each frame.
  ///   - observe: shown each frame with its matte and what was drawn.
  /// - Throws: `interrupted`; `badData` if not one frame had a usable matte; whatever input and outputs throw.
  public func run(
    progress: (Int) -> Void = { _ in }, isInterrupted: () -> Bool = { false },
    observe: (Frame, Matte, Image) throws(BackdropError) -> Void = { _, _, _ throws(BackdropError) in }
  ) throws(BackdropError) -> JobSummary {
    let clock = ContinuousClock()
    let start = clock.now
    var summary = JobSummary(input: input.name)
    let workers = WorkerPool(threads: plan.threads ?? (input.video == nil ? nil : Self.threadsBesideCodecs))
    let own = plan.asksNothingOfNetwork ? input.portraitMatte() : nil
    let mattes = try JobMattes(plan, settings, input.kind, own: own, workers: workers, networks: networks)
    summary.mattesFrom = mattes.source
    let painter =
      plan.output == nil
      ? nil
      : try JobPainter(
        plan, settings, input.kind, estimatesColors: plan.decontaminate ?? mattes.isCareful, workers: workers)
    // The outputs are opened before the first frame is read: that may take long, and sound is copied from the start.
    let outputs = try JobOutputs(plan, input)
    let reader = ReadAhead(input, frames: input.isWorthReadingAhead && outputs.areVideos ? 2 : 0)
    defer { reader.stop() }
    let writer = WriteBehind(outputs, pictures: outputs.areVideos ? 2 : 0)
    defer { writer.stop() }
    var matte = Matte(constant: 0, width: 1, height: 1)
    var coverage = 0.0
    while !writer.areFull {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      guard var timed = try reader.next() else { break }
      let alpha = timed.frame.image.takeAlpha()
      try painter?.prepare(for: timed.frame)
      summary.frames += 1
      var drawn = writer.takeSpare()
      var shown: Matte
      do throws(BackdropError) {
        try mattes.update(&matte, from: timed.frame, fault: timed.fault)
        shown = if let alpha { matte.limited(by: alpha) } else { matte }
        try painter?.draw(timed.frame, matte: shown, into: &drawn)
        coverage += matte.coverage
      } catch {
        summary.cards.append(JobSummary.Fault(frame: summary.frames, reason: error.description))
        matte = Matte(constant: 0, width: 1, height: 1)
        shown = matte
        painter?.drawCard(into: &drawn)
      }
      try observe(timed.frame, shown, drawn)
      try writer.write(
        JobOutputs.Picture(
          drawn: drawn, matte: plan.matteOutput == nil ? nil : shown, time: timed.time, duration: timed.duration))
      progress(summary.frames)
    }
    reader.stop()
    try writer.finish()
    summary.cutoffMetres = mattes.cutoffMetres
    summary.warnings += input.warnings + mattes.warnings + (mattes.usesDepth ? [] : plan.uselessWishes(input))
    summary.skipped = input.skipped.map { JobSummary.Fault(frame: $0.number, reason: $0.error.description) }
    if !mattes.usesDepth && !mattes.sawAnybody && summary.frames > summary.cards.count {
      summary.warnings.append("no person was found in any frame: the output shows the background alone")
    }
    if mattes.usesDepth && coverage == 0 && summary.frames > summary.cards.count {
      summary.warnings.append(
        "nothing is nearer than the cutoff in any frame: the output shows the background alone; check --depth-scale")
    }
    if outputs.tookTheFirstOnly && !input.isStill {
      summary.warnings.append("only the first frame was written: name the output out/%05d.png for all")
    }
    if !outputs.readerIsGone { try checkUsable(summary, usedDepth: mattes.usesDepth) }
    if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
    try outputs.finish()
    summary.warnings += outputs.notes
    summary.readerIsGone = outputs.readerIsGone
    summary.outputs = [plan.output, plan.matteOutput].compactMap { $0 }
    summary.coverage = coverage / Double(max(1, summary.frames))
    summary.seconds = (clock.now - start) / .seconds(1)
    summary.framesPerSecond = summary.seconds > 0 ? Double(summary.frames) / summary.seconds : 0
    return summary
  }

  /// Codecs have threads of their own, and more to do than drawing has: they are left half of the processors.
  private static var threadsBesideCodecs: Int { max(1, WorkerPool.processorCount / 2) }

  private func checkUsable(_ summary: JobSummary, usedDepth: Bool) throws(BackdropError) {
    guard summary.frames > 0 else {
      throw BackdropError(.badData, "the input has no frames", path: input.name, hint: "give one that is longer")
    }
    guard summary.cards.count < summary.frames else {
      let reason = summary.cards.first?.reason ?? ""
      throw BackdropError(
        .badData,
        summary.frames == 1
          ? reason : "no frame has \(usedDepth ? "usable depth" : "a usable matte") (the first: \(reason))",
        path: input.isStill ? input.files.last : input.name,
        hint: usedDepth ? "check the depth, and --depth-scale" : JobMattes.nobodyHint)
    }
  }
}
