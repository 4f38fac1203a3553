extension DepthMap {
  /// The depth at a pixel that is known to be of something `reach` pixels wide on each side.
  ///
  /// A hole takes the median of what is around it: in a window of 5×5, then 9×9, then 17×17, as far as they lie within
  /// `reach`; `nil` if that has only holes too. A value that is more than 10 cm behind the median of 5×5 is a stray one, at
  /// an edge, and the median is taken: what is foreground must not grow by it.
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
