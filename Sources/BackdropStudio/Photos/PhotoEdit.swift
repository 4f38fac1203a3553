import Backdrop

/// A page's edit of a photo besides its look: the background, the people to keep, manual corrections, and the position
/// of the subject.
struct PhotoEdit: Codable, Sendable, Equatable {
  /// The background, by a name that ``PhotoBackgrounds`` knows.
  var background = "scene:northern"
  /// Points on the people to remove, as fractions of the width and height.
  var drop: [[Double]] = []
  /// The engine's settings, from ``parameters`` only.
  var settings: [String: ParameterValue] = [:]
  var touchUp = TouchUp()

  static let parameters = Job.Plan.parameters.parameters.filter { $0.places.contains(.photo) }

  func check() throws(BackdropError) {
    guard drop.count <= 100, drop.allSatisfy({ $0.count == 2 && $0.allSatisfy((0...1).contains) }) else {
      throw BackdropError(.wrongArgument, "a point to leave a person out needs x and y from 0 to 1")
    }
    try touchUp.check()
  }

  var people: PeopleChoice {
    var choice = PeopleChoice()
    if !drop.isEmpty {
      choice.drop = PicturePoints(drop.map { PicturePoint(x: $0[0] * 100, y: $0[1] * 100, isPercent: true) })
    }
    return choice
  }

  /// Applies the engine's settings to a plan.
  func set(in plan: inout Job.Plan) throws(BackdropError) {
    for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
      guard Self.parameters.contains(where: { $0.name == name }) else {
        throw BackdropError(.wrongArgument, "the page cannot set '\(name.prefix(40))' for a photo")
      }
      try Job.Plan.parameters.set(name, to: value, in: &plan)
    }
  }

  /// The job plan that draws the edited photo with a look.
  func plan(_ look: Look, _ values: [String: Double], background: BackgroundChoice) throws(BackdropError) -> Job.Plan {
    var plan = Job.Plan(look)
    try set(in: &plan)
    plan.values = values
    plan.analysis.people = people
    if !touchUp.strokes.isEmpty { plan.analysis.touchUp = .strokes(touchUp) }
    if look.hasBackground && (!background.isTransparent || look.isCutout) { plan.background = background }
    // A job refuses light wrap from the real background.
    if plan.background?.isNew != true { plan.drawing.lightWrap = 0 }
    return plan
  }
}
