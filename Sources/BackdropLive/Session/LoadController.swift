/// Sets the amount of work per frame so that a live session keeps up. It degrades quickly and recovers slowly.
///
/// It has no clock; the caller passes times. ``LoadStep`` describes the steps. A recovery needs five seconds of low
/// load, twice as many after each recovery that had to be undone soon, and half as many after one that lasted.
package struct LoadController: Sendable {
  /// The fraction of a frame's time above which the controller degrades, and the fraction below which it can recover.
  static let high = 0.85, low = 0.5
  /// How long either condition must last, in seconds.
  private static let degradeAfter = 1.0, recoverAfter = 5.0
  /// A recovery that must be undone within this time doubles the next wait.
  private static let backOff = 10.0

  package private(set) var step = LoadStep.none
  private var highSince: Double?
  private var lowSince: Double?
  /// The time of the last recovery, until a reduction follows, which shows whether it lasted.
  private var recovered: Double?
  private var wait = Self.recoverAfter

  package init() {}

  /// Updates the step from the cost of the last frame, and returns whether it changed.
  ///
  /// - Parameters:
  ///   - load: the frame's processing time divided by the available time; above 1 frames are lost.
  ///   - floor: the minimum step that the machine's state requires, on battery or when hot.
  ///   - now: the time in seconds, never going back.
  package mutating func update(load: Double, floor: LoadStep = .none, now: Double) -> Bool {
    let before = step
    highSince = load > Self.high ? highSince ?? now : nil
    lowSince = load < Self.low && step > floor ? lowSince ?? now : nil
    if let highSince, now - highSince >= Self.degradeAfter, let next = LoadStep(rawValue: step.rawValue + 1) {
      (step, self.highSince) = (next, nil)
      if let time = recovered.take() {
        wait = now - time < Self.backOff ? min(wait * 2, 300) : max(wait / 2, Self.recoverAfter)
      }
    }
    if let lowSince, now - lowSince >= wait, let next = LoadStep(rawValue: step.rawValue - 1) {
      (step, self.lowSince, recovered) = (next, nil, now)
    }
    if step < floor {
      step = floor
      (highSince, lowSince) = (nil, nil)
    }
    return step != before
  }
}
