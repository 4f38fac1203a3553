import Backdrop
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels

/// What is done to a photo on the page beside its look: what is behind, who stays, what was corrected by hand, where the subject is.
struct PhotoEdit: Codable, Sendable, Equatable {
  /// What is behind, by a name that ``PhotoBackgrounds`` knows.
  var background = "scene:northern"
  /// Where those are who are left out, as parts of width and height.
  var drop: [[Double]] = []
  /// What is set of the engine: of ``parameters`` alone.
  var settings: [String: ParameterValue] = [:]
  /// What was corrected by hand.
  var touchUp = TouchUp()

  /// What a page can set of the engine for a photo.
  static let parameters = Job.Plan.parameters.parameters.filter { $0.places.contains(.photo) }

  /// Nothing yet.
  init() {}

  /// Refuses what a page may not ask for.
  ///
  /// - Throws: `wrongArgument`; what is wrong with the touch-up.
  func check() throws(BackdropError) {
    guard drop.count <= 100, drop.allSatisfy({ $0.count == 2 && $0.allSatisfy((0...1).contains) }) else {
      throw BackdropError(.wrongArgument, "a point to leave a person out needs x and y from 0 to 1")
    }
    try touchUp.check()
    var plan = Job.Plan()
    try set(in: &plan)
  }

  /// Who stays.
  var people: PeopleChoice {
    var choice = PeopleChoice()
    if !drop.isEmpty {
      choice.drop = PicturePoints(drop.map { PicturePoint(x: $0[0] * 100, y: $0[1] * 100, isPercent: true) })
    }
    return choice
  }

  /// Sets what is set of the engine.
  ///
  /// - Throws: `wrongArgument` for a name that is not of ``parameters``, or a value that it does not take.
  func set(in plan: inout Job.Plan) throws(BackdropError) {
    for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
      guard Self.parameters.contains(where: { $0.name == name }) else {
        throw BackdropError(.wrongArgument, "the page cannot set '\(name.prefix(40))' for a photo")
      }
      try Job.Plan.parameters.set(name, to: value, in: &plan)
    }
  }

  /// What a job is to do.
  ///
  /// - Throws: as ``set(in:)``.
  func plan(_ look: Look, _ values: [String: Double], background: BackgroundChoice) throws(BackdropError) -> Job.Plan {
    var plan = Job.Plan(look)
    try set(in: &plan)
    plan.values = values
    plan.analysis.people = people
    if !touchUp.strokes.isEmpty { plan.analysis.touchUp = .strokes(touchUp) }
    if look.hasBackground && (!background.isTransparent || look.isCutout) { plan.background = background }
    // Light of a room would be refused.
    if plan.background?.isOwn != true { plan.drawing.lightWrap = 0 }
    return plan
  }
}

extension BackgroundChoice {
  /// Whether it is something of its own, whose light may fall on a person.
  fileprivate var isOwn: Bool {
    guard let name else { return true }
    return !isTransparent && !name.hasPrefix("blur") && !name.hasPrefix("bokeh")
  }
}
