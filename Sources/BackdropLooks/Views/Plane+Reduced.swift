import BackdropImaging

extension Plane<Float> {
  /// The plane with at most `side` samples in the longer direction. It takes the nearest samples: means would invent depths, and spread a
  /// NaN.
  func reduced(toSide side: Int) -> Plane<Float> {
    let longest = Swift.max(width, height)
    guard longest > side else { return self }
    return nearest(width: Swift.max(1, width * side / longest), height: Swift.max(1, height * side / longest))
  }
}
