extension DepthMap {
  /// The depth at a pixel or, if that is a hole, the median of what is around it: in a window of 5×5, then 9×9, then
  /// 17×17. `nil` if that has only holes too.
  package func nearby(x: Int, y: Int) -> Float? {
    for window in [1, 5, 9, 17] {
      if let metres = depth(atX: x, y: y, window: window) { return metres }
    }
    return nil
  }
}
