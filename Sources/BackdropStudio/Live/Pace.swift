/// Sets the picture rate of several pages: as fast as they can receive, but slower if the camera loses frames.
///
/// Pages on the same machine draw with the processors that the camera needs. If the camera delivers fewer frames than its nominal rate,
/// the total for all pages falls, down to the rate of one page. When the camera reaches its rate again, the total slowly rises. A single
/// page never waits.
struct Pace {
  /// Pictures per second for all pages together.
  private var budget = Double.infinity
  /// The minimum time between two pictures of a page, in seconds; 0 for none.
  private(set) var interval = 0.0

  /// Updates the pace for the pages that want pictures; called several times a second.
  ///
  /// - Parameters:
  ///   - framesIn: frames per second received from the camera; 0 while it is off or starting.
  ///   - rate: its nominal frames per second.
  mutating func update(framesIn: Double, rate: Double, pages: Int) {
    let most = Double(pages) * rate
    if pages < 2 || framesIn <= 0 || rate <= 0 {
      budget = .infinity
    } else if framesIn < 0.93 * rate {
      budget = max(rate, min(budget, most) * 0.85)
    } else if framesIn > 0.97 * rate {
      budget *= 1.02
    }
    interval = budget < most ? Double(pages) / budget : 0
  }
}
