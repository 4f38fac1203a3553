import Backdrop
import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropModels

/// Takes a live session's frames through matte and look, or says why not: then the still card is to be shown.
///
/// One thread uses it at a time. It never draws a frame without a matte of that very frame.
final class LivePipeline {
  private let networks: NetworkShelf
  private let workers: WorkerPool
  private let width: Int, height: Int
  private var kind: FrameKind?
  private var plan = Job.Plan()
  private var look = Look.backdrop
  private var settings: LiveSettings
  private var mattes: JobMattes?
  private var painter: JobPainter
  private var card: Image?
  private(set) var matte = Matte(constant: 0, width: 1, height: 1)
  /// What is done less for each frame.
  private var step = Pressure.Step.none
  /// Mattes made so far, of which a still stream needs few.
  var matteCount: Int { mattes?.count ?? 0 }

  /// A matte that keeps more than this keeps the room.
  static let mostCoverage = 0.985

  /// Prepares for the settings; the networks are loaded with the first frame.
  ///
  /// - Throws: what is wrong with look, background or card.
  init(_ settings: LiveSettings, networks: NetworkShelf, workers: WorkerPool) throws(BackdropError) {
    self.settings = settings
    self.networks = networks
    self.workers = workers
    (width, height) = (settings.wish.width, settings.wish.height)
    let look = try settings.liveLook()
    self.look = look
    let plan = try settings.plan(look, step: .none)
    self.plan = plan
    painter = try JobPainter(
      plan, try look.settings(plan.wishes),
      FrameKind(width: width, height: height, isStill: false, hasDepth: false, bringsFaces: false),
      estimatesColors: false, workers: workers)
    card = try settings.cardPicture()
  }

  /// Takes over settings and a step; what was learned of the stream is kept where it still holds.
  ///
  /// - Parameter background: the one that the settings name, where it changed.
  func change(
    to wanted: LiveSettings, background: JobBackground?, step newStep: Pressure.Step
  ) throws(BackdropError) {
    let look = try wanted.liveLook()
    let plan = try wanted.plan(look, step: newStep)
    let values = try look.settings(plan.wishes)
    if wanted.card != settings.card { card = try wanted.cardPicture() }
    if look != self.look || wanted.matte != settings.matte || wanted.model != settings.model
      || wanted.depthFilter != settings.depthFilter
    {
      mattes = nil
    } else {
      try mattes?.change(to: look.recipe(values), plan.person, reduction: newStep >= .coarseEdges ? 4 : nil)
    }
    try painter.change(to: look, values, background: background, lightWrap: wanted.lightWrap)
    (self.plan, self.look, settings, step) = (plan, look, wanted, newStep)
  }

  /// Draws a frame of the outputs' size in I420; `output` is reused.
  ///
  /// - Throws: why there is no good matte.
  func draw(_ frame: Frame, bringsFaces: Bool, hasDepth: Bool, into output: inout Image) throws(BackdropError) {
    let kind = FrameKind(width: width, height: height, isStill: false, hasDepth: hasDepth, bringsFaces: bringsFaces)
    if kind != self.kind { mattes = nil }
    do throws(BackdropError) {
      let mattes = try ready(kind)
      try painter.prepare(for: frame)
      try mattes.update(&matte, from: frame)
      guard matte.coverage(everyRow: 8) <= Self.mostCoverage else {
        throw BackdropError(
          .badData, "the matte keeps the whole picture",
          hint: "move back from the camera, or lower the cutoff")
      }
      try painter.draw(frame, matte: matte, into: &output)
    } catch {
      matte = Matte(constant: 0, width: 1, height: 1)
      throw error
    }
  }

  /// Draws what is shown in place of a frame.
  func drawCard(into output: inout Image, at time: Double) {
    if let card {
      output = card
      return
    }
    do throws(BackdropError) {
      try painter.drawCard(into: &output, at: time)
    } catch {
      // A background that cannot be read any more: black is better than the last picture.
      output = Image(.i420, width: width, height: height, color: .video)
      output.fill(.black)
    }
  }

  private func ready(_ kind: FrameKind) throws(BackdropError) -> JobMattes {
    if let mattes { return mattes }
    guard kind.hasDepth || settings.matte != .depth else {
      throw BackdropError(
        .unsupported, "the camera has no distances to make a matte from",
        hint: "leave --matte out for the person network")
    }
    self.kind = kind
    let made = try JobMattes(plan, try look.settings(plan.wishes), kind, workers: workers, networks: networks)
    mattes = made
    return made
  }
}

extension LiveSettings {
  /// The look, which must be one that replaces a background.
  func liveLook() throws(BackdropError) -> Look {
    let look = try Look.load(look)
    guard look.matteSource == .depth else {
      let known = Look.builtIn.filter { $0.matteSource == .depth }.map(\.id)
      throw BackdropError(
        .wrongArgument, "the look '\(look.id)' does not replace a background",
        hint: "live looks are \(known.joined(separator: ", "))")
    }
    return look
  }

  /// What a job with these settings would do.
  func plan(_ look: Look, step: Pressure.Step) throws(BackdropError) -> Job.Plan {
    var plan = Job.Plan()
    plan.look = look
    plan.wishes = parameters
    if let cutoffMetres, look.parameters.contains(where: { $0.name == "cutoff" }) {
      plan.wishes["cutoff"] = cutoffMetres
    }
    plan.background = background
    plan.matte = matte
    plan.person.model = model
    plan.person.refinement = refinement
    plan.person.smoothing = smoothing
    plan.person.mattesPerSecond = mattesPerSecond
    if step >= .halfMattes {
      plan.person.mattesPerSecond = min(mattesPerSecond ?? .infinity, (step.rate ?? wish.rate) / 2)
    }
    plan.person.restsWhenCalm = true
    plan.effort = .live
    plan.lightWrap = lightWrap
    plan.followsFace = cutoffMetres == nil
    plan.depthFilter = try DepthFilterChain(parsing: depthFilter)
    guard (0...1).contains(lightWrap) else {
      throw BackdropError(
        .wrongArgument, "light-wrap \(brief(lightWrap)) is out of range: 0…1", hint: "the default is 0")
    }
    guard background != JobBackground.none else {
      throw BackdropError(
        .wrongArgument, "a live background cannot be left out", hint: "give a picture, a video, a colour or a blur")
    }
    return plan
  }

  /// The card's picture at the outputs' size; `nil` where the background serves.
  func cardPicture() throws(BackdropError) -> Image? {
    guard let card else { return nil }
    return try StillPicture.load(card).flattened().filling(width: wish.width, height: wish.height)
      .converted(to: .i420, color: .video)
  }
}
