import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels

/// What is known of frames before the first of them comes.
package struct FrameKind: Equatable {
  /// Size of the pictures.
  var width: Int, height: Int
  /// Whether there is one only.
  var isStill: Bool
  /// Whether they come with depth.
  package var hasDepth: Bool
  /// Whether they come with their faces; then none are looked for in one that has none.
  var bringsFaces: Bool

  package init(width: Int, height: Int, isStill: Bool, hasDepth: Bool, bringsFaces: Bool) {
    (self.width, self.height) = (width, height)
    self.isStill = isStill
    self.hasDepth = hasDepth
    self.bringsFaces = bringsFaces
  }
}

extension JobInput {
  /// What is known of its frames.
  var kind: FrameKind {
    FrameKind(width: width, height: height, isStill: isStill, hasDepth: hasDepth, bringsFaces: bringsFaces)
  }
}

/// Makes the mattes of a job's frames: from depth, by the person network, or from both joined.
package final class JobMattes {
  /// What they are made from: `depth`, `person` (a network), `depth and person`, or `photo`: by the camera that took it.
  let source: String
  /// Whether frames without depth have none.
  let usesDepth: Bool
  /// Whether the network spends all that it can on each.
  let isCareful: Bool
  /// Whether the network saw a person in any frame so far.
  private(set) var sawAnybody = false
  /// Where the foreground of the last frame ended; `nil` without depth.
  private(set) var cutoffMetres: Double?
  /// Mattes made so far; while nothing moves the network makes none.
  package var count: Int { fromDepth + (person?.runCount ?? 0) }
  private var fromDepth = 0
  /// Things worth telling.
  var warnings: [String] { faces?.warnings ?? [] }

  static let nobodyHint = "nothing was written; try --model, or --matte depth if there is depth"
  /// If less than this part of what is near is a person to the network, depth alone makes the matte.
  private static let leastAgreement = 0.05
  /// The matte that a photo brings.
  private let own: Matte?
  private let isStill: Bool
  private let maker: DepthMatteMaker
  private let person: PersonMatteMaker?
  private let faces: FaceFinder?
  private let filter: DepthFilter

  /// Opens what the plan needs.
  ///
  /// - Parameter own: the matte that a photo brings; nothing else is asked then.
  /// - Throws: `unsupported` if there is no network where one is needed; `wrongArgument` for a plate that nobody looks at.
  package init(
    _ plan: Job.Plan, _ settings: LookSettings, _ input: FrameKind, own: Matte? = nil, workers: WorkerPool,
    networks: NetworkShelf
  ) throws(BackdropError) {
    self.own = own
    var recipe = plan.look.recipe(settings)
    recipe.followsFace = plan.followsFace
    recipe.findsGap = plan.findsGap
    recipe.faces = plan.faces
    let effort = plan.effort ?? (input.isStill ? .best : .live)
    let usesDepth = input.hasDepth && plan.matte != .person
    let person = own == nil ? try Self.person(plan, recipe, input, effort, workers, networks) : nil
    self.person = person
    self.usesDepth = usesDepth
    source = own != nil ? "photo" : !usesDepth ? "person" : person == nil ? "depth" : "depth and person"
    isCareful = own != nil || person != nil && effort == .best
    isStill = input.isStill
    filter = DepthFilter(plan.depthFilter)
    maker = DepthMatteMaker(recipe, workers: workers)
    faces = plan.followsFace && !input.bringsFaces ? FaceFinder(networks: networks) : nil
  }

  /// Changes how mattes are made from the next frame on; what was learned of the stream is kept.
  package func change(
    to recipe: DepthMatteRecipe, _ person: PersonMatteMaker.Options, reduction: Int?
  ) throws(BackdropError) {
    var recipe = recipe
    (recipe.followsFace, recipe.findsGap, recipe.faces) =
      (maker.recipe.followsFace, maker.recipe.findsGap, maker.recipe.faces)
    maker.recipe = recipe
    try self.person?.change(to: person, reduction: reduction)
  }

  /// Makes the matte of the next frame, into one that is reused.
  ///
  /// - Parameter fault: why the frame has no depth, where that is known.
  /// - Throws: why there is none: a still card is shown in place of the frame.
  package func update(_ matte: inout Matte, from frame: Frame, fault: BackdropError? = nil) throws(BackdropError) {
    if let own {
      (matte, sawAnybody) = (own, true)
      return
    }
    var frame = frame
    guard usesDepth else {
      // Without depth there always is a network.
      try person?.update(&matte, from: frame.image, at: frame.time)
      if !sawAnybody { sawAnybody = matte.coverage > 0 }
      guard sawAnybody || !isStill else {
        throw BackdropError(.badData, "there is no person in the picture", hint: Self.nobodyHint)
      }
      return
    }
    guard var depth = frame.depth, !depth.isEmpty else {
      throw fault
        ?? BackdropError(
          .badData, frame.depth == nil ? "there is no depth for this frame" : "the depth map has holes only")
    }
    // The only owner, so that it is cleaned in place.
    frame.depth = nil
    filter.apply(&depth, guide: frame.image)
    frame.depth = depth
    try faces?.find(in: &frame)
    if let person {
      try maker.updateCutoff(from: frame)
      try person.update(
        &matte, from: frame.image, at: frame.time, near: (depth: depth, cutoffMetres: maker.cutoffMetres))
    }
    // In the dark the network sees nobody.
    if person?.agreementWithDepth ?? 0 < Self.leastAgreement {
      try maker.update(&matte, from: frame)
      fromDepth += 1
    }
    cutoffMetres = maker.cutoffMetres
  }

  /// `nil` where depth alone makes the mattes.
  private static func person(
    _ plan: Job.Plan, _ recipe: DepthMatteRecipe, _ input: FrameKind, _ effort: PersonMatteMaker.Effort,
    _ workers: WorkerPool, _ networks: NetworkShelf
  ) throws(BackdropError) -> PersonMatteMaker? {
    func load() throws(BackdropError) -> PersonMatteMaker {
      var options = plan.person
      options.effort = effort
      options.plate = try plan.plate.choice(
        width: input.width, height: input.height, isLearnedByDefault: !input.isStill && effort == .live)
      return try PersonMatteMaker.load(options, workers: workers, networks: networks)
    }
    guard plan.matte != .depth else { return try refusePlate(plan) }
    guard plan.matte == .auto && input.hasDepth else { return try load() }
    let plain = Look.backdrop.recipe(try Look.backdrop.settings())
    guard recipe.sigma == plain.sigma && recipe.gamma == plain.gamma else { return try refusePlate(plan) }
    do throws(BackdropError) {
      return try load()
    } catch {
      // Depth alone will do, unless a network was asked for.
      guard error.kind == .unsupported && plan.person.model == nil else { throw error }
      return try refusePlate(plan)
    }
  }

  /// Depth needs no plate, and a person who asks for one should know that it does nothing.
  private static func refusePlate(_ plan: Job.Plan) throws(BackdropError) -> PersonMatteMaker? {
    guard plan.plate == .automatic || plan.plate == .off else {
      throw BackdropError(
        .wrongArgument, "mattes from depth take no plate", hint: "add --matte person, or leave --plate out")
    }
    return nil
  }
}
