/// Sets the rate of pictures to several pages: as fast as they can receive, but slower if the camera loses frames.
///
/// Pages on the same machine draw with the processors that the camera needs; four of them fully use two. If the camera delivers fewer
/// frames than promised, the pace reduces the total of pictures for all pages, down to the camera's frame rate, which a single page gets.
/// When frames come as promised again, it slowly increases. A single page never waits.
struct Pace {
  /// Pictures per second for all pages together.
  private var budget = Double.infinity
  /// The minimum time between two pictures of a page, in seconds; 0 for none.
  private(set) var interval = 0.0

  /// Takes in the camera's state, some times a second.
  ///
  /// - Parameters:
  ///   - framesIn: frames per second received from it; 0 while it is off or starting.
  ///   - rate: its nominal frames per second.
  ///   - pages: the number of pages that want pictures.
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
