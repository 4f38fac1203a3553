import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropMedia
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
  public enum MatteChoice: String, Sendable, CaseIterable {
    /// By the person network, joined with depth where the input has it; from depth alone for looks that want another shape of
    /// matte than ``Look/backdrop``, or where no network is installed.
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
    try plan.checkLight()
    try plan.checkLook()
    self.input = input
    self.plan = plan
    self.networks = networks
    settings = try plan.look.settings(plan.wishes)
  }

  /// Does the work; nothing is left behind unless all of it succeeds.
  ///
  /// A frame without a usable matte is replaced by a still card, never shown, and reported.
  ///
  /// - Parameters:
  ///   - progress: told the number of frames done after each.
  ///   - isInterrupted: asked before each frame.
  /// - Throws: `interrupted`; `badData` if not one frame had a usable matte; whatever input and outputs throw.
  public func run(
    progress: (Int) -> Void = { _ in }, isInterrupted: () -> Bool = { false }
  ) throws(BackdropError) -> JobSummary {
    let clock = ContinuousClock()
    let start = clock.now
    var summary = JobSummary(input: input.name)
    let workers = WorkerPool(threads: plan.threads)
    var recipe = plan.look.recipe(settings)
    recipe.followsFace = plan.followsFace
    recipe.faces = plan.faces
    let maker = DepthMatteMaker(recipe, workers: workers)
    let usesDepth = input.hasDepth && plan.matte != .person
    let person = try personMaker(workers, recipe)
    summary.mattesFrom = !usesDepth ? "person" : person == nil ? "depth" : "depth and person"
    let faces = plan.followsFace && !input.bringsFaces ? FaceFinder() : nil
    let background: JobBackground? =
      if let text = plan.background, !plan.isTransparent {
        try JobBackground(text, width: input.width, height: input.height)
      } else { nil }
    let cutout =
      plan.isTransparent && plan.output != nil
      ? try Cutout(plan.look, width: input.width, height: input.height, hidden: try plan.hiddenColors) : nil
    // The outputs are opened before the first frame is read: that may take long, and sound is copied from the start.
    let outputs = try Outputs(plan, input)
    var compositor: Compositor?
    let estimator =
      plan.decontaminate ?? (person != nil && effort == .best) ? ForegroundEstimator(workers: workers) : nil
    var foreground = Image(.gray8, width: 1, height: 1)
    var drawn = Image(.gray8, width: 1, height: 1)
    var matte = Matte(constant: 0, width: 1, height: 1)
    var coverage = 0.0
    var sawAnybody = false
    while !outputs.areFull {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      guard let timed = try input.next() else { break }
      var frame = timed.frame
      let alpha = frame.image.takeAlpha()
      if compositor == nil, cutout == nil, outputs.result != nil {
        compositor = try Compositor(
          plan.look, settings: settings, width: frame.image.width, height: frame.image.height,
          format: frame.image.format, color: frame.image.color, workers: workers)
        compositor?.lightWrap = plan.lightWrap
        if let background { try compositor?.setBackground(background.initial) }
      }
      if let compositor, let picture = try background?.picture(at: frame.time) {
        try compositor.setBackground(.picture(picture))
      }
      summary.frames += 1
      do throws(BackdropError) {
        let covered: Double
        if let person, !usesDepth {
          try person.update(&matte, from: frame.image, at: frame.time)
          covered = matte.coverage
          if covered > 0 { sawAnybody = true }
          guard sawAnybody || !input.isStill else {
            throw BackdropError(.badData, "there is no person in the picture", hint: Self.nobodyHint)
          }
        } else {
          guard let depth = frame.depth, !depth.isEmpty else {
            throw timed.fault
              ?? BackdropError(
                .badData, frame.depth == nil ? "there is no depth for this frame" : "the depth map has holes only")
          }
          try faces?.find(in: &frame)
          if let person {
            try maker.updateCutoff(from: frame)
            try person.update(
              &matte, from: frame.image, at: frame.time, near: (depth: depth, cutoffMetres: maker.cutoffMetres))
          }
          // In the dark the network sees nobody.
          if person?.agreementWithDepth ?? 0 < Self.leastAgreement { try maker.update(&matte, from: frame) }
          covered = matte.coverage
          summary.cutoffMetres = maker.cutoffMetres
        }
        if let alpha { matte = matte.limited(by: alpha) }
        if compositor != nil || cutout != nil { try estimator?.estimate(frame.image, matte: matte, into: &foreground) }
        let colors = estimator == nil ? nil : foreground
        try compositor?.render(frame.image, foreground: colors, matte: matte, into: &drawn)
        try cutout?.cut(frame.image, foreground: colors, matte: matte, into: &drawn)
        coverage += covered
      } catch {
        summary.cards.append(JobSummary.Fault(frame: summary.frames, reason: error.description))
        matte = Matte(constant: 0, width: 1, height: 1)
        compositor?.renderStillCard(into: &drawn)
        cutout?.clear(&drawn)
      }
      try outputs.result?.write(drawn, time: timed.time, duration: timed.duration)
      try outputs.mattes?.write(
        matte.scaled(toWidth: input.width, height: input.height).image, time: timed.time, duration: timed.duration)
      progress(summary.frames)
    }
    summary.warnings += input.warnings + (faces?.warnings ?? [])
    summary.skipped = input.skipped.map { JobSummary.Fault(frame: $0.number, reason: $0.error.description) }
    if !usesDepth && !sawAnybody && summary.frames > summary.cards.count {
      summary.warnings.append("no person was found in any frame: the output shows the background alone")
    }
    if usesDepth && coverage == 0 && summary.frames > summary.cards.count {
      summary.warnings.append(
        "nothing is nearer than the cutoff in any frame: the output shows the background alone; check --depth-scale")
    }
    if outputs.result?.tookTheFirstOnly == true && !input.isStill {
      summary.warnings.append("only the first frame was written: name the output out/%05d.png for all")
    }
    if !outputs.readerIsGone { try checkUsable(summary, usedDepth: usesDepth) }
    if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
    try outputs.finish()
    summary.warnings += outputs.notes
    summary.outputs = [plan.output, plan.matteOutput].compactMap { $0 }
    summary.coverage = coverage / Double(max(1, summary.frames))
    summary.seconds = (clock.now - start) / .seconds(1)
    summary.framesPerSecond = summary.seconds > 0 ? Double(summary.frames) / summary.seconds : 0
    return summary
  }

  /// If less than this part of what is near is a person to the network, depth alone makes the matte.
  private static let leastAgreement = 0.05
  private var effort: PersonMatteMaker.Effort { plan.effort ?? (input.isStill ? .best : .live) }
  private static let nobodyHint = "nothing was written; try --model, or --matte depth if there is depth"

  /// `nil` where depth alone makes the mattes.
  private func personMaker(
    _ workers: WorkerPool, _ recipe: DepthMatteRecipe
  ) throws(BackdropError) -> PersonMatteMaker? {
    guard plan.matte != .depth else { return try refusePlate() }
    guard plan.matte == .auto && input.hasDepth else { return try personMaker(workers) }
    let plain = Look.backdrop.recipe(try Look.backdrop.settings())
    guard recipe.sigma == plain.sigma && recipe.gamma == plain.gamma else { return try refusePlate() }
    do throws(BackdropError) {
      return try personMaker(workers)
    } catch {
      // Depth alone will do, unless a network was asked for.
      guard error.kind == .unsupported && plan.person.model == nil else { throw error }
      return try refusePlate()
    }
  }

  private func personMaker(_ workers: WorkerPool) throws(BackdropError) -> PersonMatteMaker {
    var options = plan.person
    options.effort = effort
    options.threads = plan.threads
    options.plate = try plan.plate.choice(
      width: input.width, height: input.height, isLearnedByDefault: !input.isStill && effort == .live)
    return try PersonMatteMaker.load(options, workers: workers, networks: networks)
  }

  /// Depth needs no plate, and a person who asks for one should know that it does nothing.
  private func refusePlate() throws(BackdropError) -> PersonMatteMaker? {
    guard plan.plate == .automatic || plan.plate == .off else {
      throw BackdropError(
        .wrongArgument, "mattes from depth take no plate", hint: "add --matte person, or leave --plate out")
    }
    return nil
  }

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
        hint: usedDepth ? "check the depth, and --depth-scale" : Self.nobodyHint)
    }
  }

  /// Where the pictures go.
  private struct Outputs {
    let result: JobOutput?
    let mattes: JobOutput?

    init(_ plan: Plan, _ input: JobInput) throws(BackdropError) {
      var result: JobOutput?
      if let path = plan.output {
        result = try JobOutput(
          path, for: input, color: input.color, format: plan.isTransparent ? .bgra8 : input.format,
          keepsAlpha: plan.isTransparent, options: plan.options)
      }
      self.result = result
      var mattes: JobOutput?
      if let path = plan.matteOutput {
        var options = plan.options
        options.copiesStreams = false
        // They are chosen for the result, where there is one, and need not suit the matte.
        if result != nil { (options.codec, options.quality) = (nil, nil) }
        mattes = try JobOutput(
          path, for: input, color: ColorDescription(matrix: .bt709, range: .full), format: .gray8, options: options)
      }
      self.mattes = mattes
    }

    private var all: [JobOutput] { [result, mattes].compactMap { $0 } }
    /// Whether none takes any more pictures.
    var areFull: Bool { all.allSatisfy(\.isFull) }
    /// Whether whoever read a pipe has seen enough.
    var readerIsGone: Bool { all.contains(where: \.readerIsGone) }
    var notes: [String] { all.flatMap(\.notes) }

    /// Completes both before either is seen under its name.
    func finish() throws(BackdropError) {
      for output in all { try output.complete() }
      for output in all { try output.commit() }
    }
  }
}
