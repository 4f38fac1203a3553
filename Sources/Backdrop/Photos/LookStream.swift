import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels

/// Draws a look of every frame of a recording or a video.
struct LookStream {
  private let name: String
  private let plan: LookJob.Plan

  init(_ name: String, _ plan: LookJob.Plan) {
    (self.name, self.plan) = (name, plan)
  }

  func run(
    _ summary: inout LookJob.Summary, progress: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(BackdropError) {
    guard plan.sweep == nil else {
      throw BackdropError(
        .wrongArgument, "a video or recording takes no --sweep", path: name, hint: "give a photo, or leave it out")
    }
    var options = plan.input
    options.needsDepth = plan.look.matteSource == .nearness || plan.look.needsNearness
    // Without its depth, what is near is what the network sees.
    options.needsDepth = options.needsDepth && options.depth != nil
    let input = try JobInput.open(name, options: options)
    var job = Job.Plan()
    job.look = plan.look
    job.wishes = plan.wishes
    job.background = plan.background
    job.output = plan.output
    job.options = plan.options
    job.threads = plan.threads
    job.person = plan.scene.person
    if plan.look.matteSource == .depth {
      let result = try Job(input, job, networks: plan.scene.networks).run(
        progress: progress, isInterrupted: isInterrupted)
      (summary.frames, summary.warnings) = (result.frames, result.warnings)
      return
    }
    try job.checkPlaces(input)
    try draw(input, &summary, progress, isInterrupted)
  }

  private func draw(
    _ input: JobInput, _ summary: inout LookJob.Summary, _ progress: (Int) -> Void, _ isInterrupted: () -> Bool
  ) throws(BackdropError) {
    let workers = WorkerPool(threads: plan.threads)
    var settings = try plan.look.settings(plan.wishes)
    let background: JobBackground? =
      if let text = plan.background { try JobBackground(text, width: input.width, height: input.height) } else { nil }
    var stream = JobOutput.Stream(input)
    stream.width *= plan.look.widthFactor
    let output = try JobOutput(
      plan.output, for: stream, color: input.color, format: .bgra8,
      options: plan.options)
    let compositor = Drawn(plan, workers: workers)
    var known = StreamNearness()
    var subjects: StreamSubject?
    var drawn = Image(.bgra8, width: 1, height: 1)
    while !output.isFull {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      guard let timed = try input.next() else { break }
      var frame = timed.frame
      var subject: Matte?
      let needsNearness = plan.look.needsNearness || plan.look.matteSource == .nearness || plan.focus != nil
      if let depth = frame.depth, needsNearness { known.update(depth) }
      let lacksDepth = needsNearness && known.map == nil
      if plan.look.matteSource == .subject || lacksDepth || (plan.focus == .subject && summary.frames == 0) {
        let finder = if let subjects { subjects } else { try StreamSubject(plan, input, workers) }
        subjects = finder
        subject = try finder.find(&frame)
      }
      var nearness = known.map
      if lacksDepth, let subject { nearness = subject.nearness(side: 384) }
      if let focus = plan.focus, summary.frames == 0, let nearness {
        settings = try self.settings(focus, nearness, subject, input)
      }
      let matte: Matte
      switch plan.look.matteSource {
      case .subject: matte = try plan.look.feathered(subject ?? Matte(constant: 0, width: 1, height: 1), settings)
      case .nearness:
        // Both are there: it is made from nearness, and that was found above.
        matte =
          try nearness.flatMap { map throws(BackdropError) in try plan.look.matte(settings, from: map) }
          ?? Matte(constant: 1, width: 1, height: 1)
      case .nothing, .depth: matte = Matte(constant: 1, width: 1, height: 1)
      }
      frame.image = frame.image.converted(to: .bgra8)
      try compositor.draw(
        frame.image, matte: matte, nearness: nearness, settings, background, at: frame.time, into: &drawn)
      try output.write(drawn, time: timed.time, duration: timed.duration)
      summary.frames += 1
      progress(summary.frames)
    }
    guard summary.frames > 0 else {
      throw BackdropError(.badData, "the input has no frames", path: input.name, hint: "give one that is longer")
    }
    for parameter in plan.look.parameters { summary.settings[parameter.name] = settings[.parameter(parameter.name)] }
    if needsAnything { summary.subjectFrom = subjects.map { _ in input.hasDepth ? .depth : .person } }
    if known.map != nil { summary.nearnessFrom = .depth }
    summary.warnings += input.warnings
    if output.tookTheFirstOnly && !input.isStill {
      summary.warnings.append("only the first frame was written: name the output out/%05d.png for all")
    }
    try output.complete()
    try output.commit()
    summary.warnings += output.notes
  }

  private var needsAnything: Bool { plan.look.matteSource != .nothing }

  private func settings(
    _ focus: LookJob.Focus, _ nearness: Plane<Float>, _ subject: Matte?, _ input: JobInput
  ) throws(BackdropError) -> LookSettings {
    guard let name = plan.look.focusParameter else {
      throw BackdropError(
        .wrongArgument, "the look '\(plan.look.id)' has no focus", hint: "leave --at out, or take refocus")
    }
    var wishes = plan.wishes
    switch focus {
    case .point(let x, let y):
      guard x >= 0 && x < Double(input.width) && y >= 0 && y < Double(input.height) else {
        throw BackdropError(
          .wrongArgument,
          "the point \(brief(x)),\(brief(y)) is not in the picture of \(input.width)×\(input.height)",
          hint: "count pixels of the upright picture from its upper left corner")
      }
      wishes[name] = nearness.around(x / Double(input.width), y / Double(input.height))
    case .subject: wishes[name] = subject.map { nearness.median(under: $0) } ?? 0.5
    }
    return try plan.look.settings(wishes)
  }
}

/// The compositor of a stream, made with its first frame.
private final class Drawn {
  private let plan: LookJob.Plan
  private let workers: WorkerPool
  private var compositor: Compositor?

  init(_ plan: LookJob.Plan, workers: WorkerPool) {
    (self.plan, self.workers) = (plan, workers)
  }

  func draw(
    _ image: Image, matte: Matte, nearness: Plane<Float>?, _ settings: LookSettings, _ background: JobBackground?,
    at time: Double, into output: inout Image
  ) throws(BackdropError) {
    let compositor: Compositor
    if let known = self.compositor {
      compositor = known
    } else {
      compositor = try Compositor(
        plan.look, settings: settings, width: image.width, height: image.height, format: image.format,
        color: image.color, workers: workers)
      compositor.estimatesForeground = true
      if let background { try compositor.setBackground(background.initial) }
      self.compositor = compositor
    }
    if let picture = try background?.picture(at: time) { try compositor.setBackground(.picture(picture)) }
    try compositor.render(image, matte: matte, nearness: nearness, into: &output)
  }
}

/// Nearness of a stream, on a scale that follows the scene slowly, so that a focus stays where it is.
private struct StreamNearness {
  private(set) var map: Plane<Float>?
  private var range: ClosedRange<Float>?

  mutating func update(_ depth: DepthMap) {
    let disparity = depth.disparity
    // A sensor's stray values are not to set the scale.
    let ends = disparity.percentiles([1, 99])
    if ends.count == 2, ends[1] > ends[0] {
      if let old = range {
        let (low, high) = (
          old.lowerBound + (ends[0] - old.lowerBound) * 0.05, old.upperBound + (ends[1] - old.upperBound) * 0.05
        )
        range = low...max(low, high)
      } else {
        range = ends[0]...ends[1]
      }
    }
    guard let range else { return }
    map = disparity.nearness(in: range)
  }
}

/// The subject of a stream: by the person network, joined with depth where there is some.
private final class StreamSubject {
  private let maker: DepthMatteMaker
  private let person: PersonMatteMaker?
  private let faces: FaceFinder?
  private let hasDepth: Bool
  private var matte = Matte(constant: 0, width: 1, height: 1)

  init(_ plan: LookJob.Plan, _ input: JobInput, _ workers: WorkerPool) throws(BackdropError) {
    maker = DepthMatteMaker(DepthMatteRecipe(), workers: workers)
    hasDepth = input.hasDepth
    faces = input.hasDepth && !input.bringsFaces ? FaceFinder() : nil
    var options = plan.scene.person
    options.effort = .live
    options.threads = plan.threads
    person = try Self.person(options, workers, plan, mayLack: input.hasDepth)
  }

  private static func person(
    _ options: PersonMatteMaker.Options, _ workers: WorkerPool, _ plan: LookJob.Plan, mayLack: Bool
  ) throws(BackdropError) -> PersonMatteMaker? {
    do throws(BackdropError) {
      return try PersonMatteMaker.load(options, workers: workers, networks: plan.scene.networks)
    } catch {
      guard mayLack && error.kind == .unsupported && options.model == nil else { throw error }
      return nil
    }
  }

  /// A frame whose depth is lost has the matte of the network alone, or none.
  func find(_ frame: inout Frame) throws(BackdropError) -> Matte {
    if let depth = frame.depth, !depth.isEmpty {
      try faces?.find(in: &frame)
      try maker.updateCutoff(from: frame)
      try person?.update(
        &matte, from: frame.image, at: frame.time, near: (depth: depth, cutoffMetres: maker.cutoffMetres))
      // In the dark the network sees nobody.
      if person?.agreementWithDepth ?? 0 < 0.05 { try maker.update(&matte, from: frame) }
    } else if let person {
      try person.update(&matte, from: frame.image, at: frame.time)
    } else {
      matte = Matte(constant: 0, width: 1, height: 1)
    }
    return matte
  }
}
