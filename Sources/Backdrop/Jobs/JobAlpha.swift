import BackdropDepth
import BackdropImaging

extension Image {
  /// Takes the alpha of a picture away, so that only ``Matte/limited(by:)`` says what of it is seen; `nil` if it has none.
  mutating func takeAlpha() -> Plane<UInt8>? {
    guard alpha != .opaque, format == .bgra8 || format == .rgba8 else { return nil }
    var plane = Plane<UInt8>(uninitializedWidth: width, height: height)
    for y in 0..<height {
      var row = mutableRow(y)
      var to = plane.mutableRow(y)
      for x in to.indices {
        to[x] = row[4 * x + 3]
        row[4 * x + 3] = 255
      }
    }
    alpha = .opaque
    return plane
  }
}

extension Matte {
  /// This matte at the size of `alpha` (0…255), times it: what is hidden in a picture stays hidden.
  func limited(by alpha: Plane<UInt8>) -> Matte {
    var result = scaled(toWidth: alpha.width, height: alpha.height)
    for y in 0..<alpha.height {
      let limits = alpha.row(y)
      var row = result.q15.mutableRow(y)
      for x in limits.indices { row[x] = UInt16((Int(min(row[x], Matte.one)) * Int(limits[x]) + 127) / 255) }
    }
    return result
  }
}
