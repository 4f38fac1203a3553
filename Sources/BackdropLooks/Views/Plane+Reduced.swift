import BackdropImaging

extension Plane<Float> {
  /// The plane with at most `side` samples in the longer direction. It takes the nearest samples: means would invent depths, and spread a
  /// NaN.
  func reduced(toSide side: Int) -> Plane<Float> {
    let longest = Swift.max(width, height)
    guard longest > side else { return self }
    var result = Plane<Float>(
      uninitializedWidth: Swift.max(1, width * side / longest), height: Swift.max(1, height * side / longest))
    for y in 0..<result.height {
      let from = row((2 * y + 1) * height / (2 * result.height))
      var to = result.mutableRow(y)
      for x in to.indices { to[x] = from[(2 * x + 1) * width / (2 * to.count)] }
    }
    return result
  }
}
