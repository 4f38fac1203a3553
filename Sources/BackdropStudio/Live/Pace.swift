/// How often several pages get pictures: as often as they can take them, but less often where the camera loses frames over it.
///
/// Pages on the same machine draw with the processors that the camera needs; four of them take all of two. Where fewer frames come
/// than the camera promises, the pictures of all pages together become fewer, down to as many as the camera has frames, which is
/// what a single page gets; they become more again, slowly, when all is well. A single page never waits.
struct Pace {
  /// Pictures a second for all pages together.
  private var budget = Double.infinity
  /// The least time between two pictures of a page, in seconds; 0 for none.
  private(set) var interval = 0.0

  /// Takes in how the camera does, some times a second.
  ///
  /// - Parameters:
  ///   - framesIn: frames a second that came of it; 0 while it is off or starts.
  ///   - rate: frames a second that it promises.
  ///   - pages: how many want pictures.
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
