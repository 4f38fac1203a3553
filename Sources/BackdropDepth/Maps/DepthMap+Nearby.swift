extension DepthMap {
  /// The depth at a pixel of an object that extends `reach` pixels on each side.
  ///
  /// A hole takes the median of its surroundings: in a window of 5×5, then 9×9, then 17×17, within `reach`; `nil` if those are holes too. A
  /// value more than 10 cm behind the median of 5×5 is a stray one at an edge, and the median replaces it: it must not extend the
  /// foreground.
  package func nearby(x: Int, y: Int, reach: Double = 8) -> Float? {
    let median = depth(atX: x, y: y, window: 5)
    if let exact = depth(atX: x, y: y, window: 1) {
      guard let median else { return exact }
      return exact > median + 0.1 ? median : exact
    }
    if let median { return median }
    for window in [9, 17] where Double(window / 2) <= reach {
      if let metres = depth(atX: x, y: y, window: window) { return metres }
    }
    return nil
  }
}
