import BackdropDepth
import BackdropImaging

extension Scene {
  /// Takes the alpha of the picture away, so that only mattes say what of it is seen; `nil` if it has none.
  package mutating func takeAlpha() -> Plane<UInt8>? {
    guard image.alpha != .opaque, image.format == .bgra8 || image.format == .rgba8 else { return nil }
    var plane = Plane<UInt8>(uninitializedWidth: image.width, height: image.height)
    for y in 0..<image.height {
      var row = image.mutableRow(y)
      var to = plane.mutableRow(y)
      for x in to.indices {
        to[x] = row[4 * x + 3]
        row[4 * x + 3] = 255
      }
    }
    image.alpha = .opaque
    return plane
  }

  /// The same scene with a picture whose longer side has at most so many pixels, and even sides.
  ///
  /// - Throws: what scaling throws.
  public func reduced(to side: Int) throws(BackdropError) -> Scene {
    let scale = min(1, Double(side) / Double(max(image.width, image.height)))
    func even(_ value: Int) -> Int { max(2, Int((Double(value) * scale / 2).rounded()) * 2) }
    let (width, height) = (even(image.width), even(image.height))
    guard width != image.width || height != image.height else { return self }
    var result = self
    result.image = try image.scaled(toWidth: width, height: height)
    return result
  }
}
