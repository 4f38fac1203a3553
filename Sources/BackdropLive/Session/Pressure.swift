/// Decides how much a live session does for a frame, so that it keeps up: it takes steps down quickly, and up again slowly.
///
/// It knows no clock: times come with the calls. What a step does is ``Step``; taking a step back needs ``Rules/calm`` seconds
/// of little load, twice as long after each step up that had to be taken back soon.
public struct Pressure: Sendable {
  /// What is done less, from least to most; each also does what those before it do.
  public enum Step: Int, Sendable, CaseIterable, Codable, Comparable {
    /// Everything.
    case none
    /// A matte for every other frame.
    case halfMattes
    /// The matte is drawn to edges of a smaller picture.
    case coarseEdges
    /// At most so many frames a second.
    case rate24, rate20, rate15

    /// Frames a second at most; `nil` for the camera's own.
    public var rate: Double? {
      switch self {
      case .none, .halfMattes, .coarseEdges: nil
      case .rate24: 24
      case .rate20: 20
      case .rate15: 15
      }
    }

    /// In words; `nil` for ``none``.
    public var summary: String? {
      switch self {
      case .none: nil
      case .halfMattes: "a matte every other frame"
      case .coarseEdges: "coarser edges"
      case .rate24, .rate20, .rate15: "\(Int(rate ?? 0)) frames/s"
      }
    }

    /// Of two steps the one that does less.
    public static func < (a: Step, b: Step) -> Bool { a.rawValue < b.rawValue }
  }

  /// When steps are taken.
  public struct Rules: Sendable, Equatable {
    /// The part of a frame's time that drawing may take, and the part below which there is room for more.
    public var high = 0.85, low = 0.5
    /// How long either must last, in seconds.
    public var rush = 1.0, calm = 5.0
    /// A step up that is taken back within this time makes the next wait twice as long.
    public var regret = 10.0

    /// The defaults.
    public init() {}
  }

  /// What is done less now.
  public private(set) var step = Step.none
  private let rules: Rules
  private var highSince: Double?
  private var lowSince: Double?
  private var lastUp = -Double.infinity
  private var wait: Double

  /// Makes one that presses nothing.
  public init(_ rules: Rules = Rules()) {
    self.rules = rules
    wait = rules.calm
  }

  /// Takes what the last frame cost.
  ///
  /// - Parameters:
  ///   - load: the time that it took by the time that there is for one; above 1 frames are lost.
  ///   - floor: the least step that the machine's state asks for: on battery, or hot.
  ///   - now: in seconds, never going back.
  /// - Returns: whether the step changed.
  public mutating func update(load: Double, floor: Step = .none, now: Double) -> Bool {
    let before = step
    if load > rules.high {
      lowSince = nil
      let since = highSince ?? now
      highSince = since
      if now - since >= rules.rush, let next = Step(rawValue: step.rawValue + 1) {
        step = next
        highSince = nil
        wait = now - lastUp < rules.regret ? min(wait * 2, 300) : max(wait / 2, rules.calm)
      }
    } else {
      highSince = nil
      if load < rules.low, step > floor {
        let since = lowSince ?? now
        lowSince = since
        if now - since >= wait, let next = Step(rawValue: step.rawValue - 1) {
          step = next
          lowSince = nil
          lastUp = now
        }
      } else {
        lowSince = nil
      }
    }
    if step < floor {
      step = floor
      (highSince, lowSince) = (nil, nil)
    }
    return step != before
  }
}
