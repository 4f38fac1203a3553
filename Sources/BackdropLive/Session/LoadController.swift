/// Decides how much a live session does for a frame, so that it keeps up: it takes steps down quickly, and up again slowly.
///
/// It knows no clock: times come with the calls. What a step does is ``LoadStep``; to take one back needs ``Rules/recoverAfter``
/// seconds of little load, twice as long after each recovery that had to be undone soon.
public struct LoadController: Sendable {
  /// When steps are taken.
  public struct Rules: Sendable, Equatable {
    /// The part of a frame's time that drawing may take, and the part below which there is room for more.
    public var high = 0.85, low = 0.5
    /// How long either must last, in seconds.
    public var degradeAfter = 1.0, recoverAfter = 5.0
    /// A recovery that has to be undone within this time makes the next wait twice as long.
    public var backOff = 10.0

    /// The defaults.
    public init() {}
  }

  /// The current step.
  public private(set) var step = LoadStep.none
  private let rules: Rules
  private var highSince: Double?
  private var lowSince: Double?
  private var lastUp = -Double.infinity
  private var wait: Double

  /// Makes one that does everything.
  public init(_ rules: Rules = Rules()) {
    self.rules = rules
    wait = rules.recoverAfter
  }

  /// Takes what the last frame cost.
  ///
  /// - Parameters:
  ///   - load: the time that it took by the time that there is for one; above 1 frames are lost.
  ///   - floor: the least step that the machine's state asks for: on battery, or hot.
  ///   - now: in seconds, never going back.
  /// - Returns: whether the step changed.
  public mutating func update(load: Double, floor: LoadStep = .none, now: Double) -> Bool {
    let before = step
    if load > rules.high {
      lowSince = nil
      let since = highSince ?? now
      highSince = since
      if now - since >= rules.degradeAfter, let next = LoadStep(rawValue: step.rawValue + 1) {
        step = next
        highSince = nil
        wait = now - lastUp < rules.backOff ? min(wait * 2, 300) : max(wait / 2, rules.recoverAfter)
      }
    } else {
      highSince = nil
      if load < rules.low, step > floor {
        let since = lowSince ?? now
        lowSince = since
        if now - since >= wait, let next = LoadStep(rawValue: step.rawValue - 1) {
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
