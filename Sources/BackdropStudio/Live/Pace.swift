/// How often pages get pictures: as often as they can take them, but less often where the camera loses frames over it.
///
/// Pages on the same machine draw with the processors that the camera needs; four of them take all of two. Where less comes in
/// than the camera has brought before, the time between two pictures of a page grows; it shrinks slowly when all is well.
struct Pace {
  /// The least time between two pictures of a page, in seconds; 0 for none.
  private(set) var interval = 0.0
  /// The most frames a second that the camera brought.
  private var usual = 0.0
  /// How often the pages have waited as long as they may, in vain.
  private var vain = 0

  private static let longest = 0.5, first = 0.03
  /// So often in vain, and it is the camera that is slower than before.
  private static let mostVain = 12

  /// Takes in how the camera does, some times a second.
  ///
  /// - Parameter framesIn: frames a second that came of it; 0 while it is off or starts.
  mutating func update(framesIn: Double) {
    guard framesIn > 1 else { return }
    usual = max(usual, framesIn)
    if framesIn < 0.85 * usual {
      vain = interval == Self.longest ? vain + 1 : 0
      if vain == Self.mostVain { (usual, vain) = (framesIn, 0) }
      interval = min(Self.longest, max(interval, Self.first) * 1.3)
    } else if framesIn > 0.94 * usual {
      interval = interval > Self.first ? interval * 0.97 : 0
    }
  }
}
