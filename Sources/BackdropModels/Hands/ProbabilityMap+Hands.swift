import BackdropDepth
import BackdropImaging

extension ProbabilityMap {
  /// This map of a part of a picture, with those hands whose forearms it shows: a hand alone is not one of these people's.
  ///
  /// - Parameters:
  ///   - hands: in pixels of the picture.
  ///   - frame: what the map shows, as parts of the picture's width and height.
  ///   - image: the picture.
  /// - Returns: the map, and how many of the hands belong to it.
  func adding(_ hands: [HandShape], in frame: Rect, of image: Image) -> (map: ProbabilityMap, count: Int) {
    let origin = SIMD2(frame.x * Double(image.width), frame.y * Double(image.height))
    let step = SIMD2(
      frame.width * Double(image.width) / Double(width), frame.height * Double(image.height) / Double(height))
    guard step.x > 0 && step.y > 0 else { return (self, 0) }
    /// The samples from one point of the picture to another.
    func samples(_ low: Double, _ high: Double, _ axis: Int, _ count: Int) -> Range<Int> {
      let first = ((low - origin[axis]) / step[axis]).rounded(.down)
      let last = ((high - origin[axis]) / step[axis]).rounded(.up)
      return Int(min(max(first, 0), Double(count)))..<Int(min(max(last, max(first, 0)), Double(count)))
    }
    func place(_ x: Int, _ y: Int) -> SIMD2<Double> { origin + step * SIMD2(Double(x) + 0.5, Double(y) + 0.5) }

    var (result, count) = (self, 0)
    for hand in hands {
      let (center, radius) = hand.forearm
      var (shown, all) = (0, 0)
      for y in samples(center.y - radius, center.y + radius, 1, height) {
        for x in samples(center.x - radius, center.x + radius, 0, width) {
          let arm = place(x, y) - center
          guard arm.x * arm.x + arm.y * arm.y <= radius * radius else { continue }
          all += 1
          if values[y * width + x] > 0.5 { shown += 1 }
        }
      }
      guard all > 0 && 2 * shown >= all else { continue }
      count += 1
      let (side, rim) = (max(step.x, step.y), hand.fingerRadius + max(step.x, step.y))
      // A hand has joints.
      let (left, right) = (hand.joints.map(\.x).min()! - rim, hand.joints.map(\.x).max()! + rim)
      let (top, bottom) = (hand.joints.map(\.y).min()! - rim, hand.joints.map(\.y).max()! + rim)
      for y in samples(top, bottom, 1, height) {
        for x in samples(left, right, 0, width) {
          let index = y * width + x
          result.values[index] = max(result.values[index], Float(hand.coverage(at: place(x, y), side: side)))
        }
      }
    }
    return (result, count)
  }
}
