import BackdropImaging

extension Image {
  /// The picture in R′G′B′A with straight alpha, upright, as encoders with alpha require it.
  ///
  /// Premultiplied colours are divided by alpha, to the nearest; pixels with an alpha of 0 are black.
  package func straightRGBA() -> Image {
    var result = (orientation == .up ? self : upright()).converted(to: .rgba8)
    guard result.alpha == .premultiplied else { return result }
    for y in 0..<result.height {
      var row = result.mutableRow(y)
      for x in stride(from: 0, to: row.count, by: 4) where row[x + 3] < 255 {
        let alpha = Int(row[x + 3])
        for channel in x..<x + 3 {
          row[channel] = alpha == 0 ? 0 : UInt8(min(255, (Int(row[channel]) * 255 + alpha / 2) / alpha))
        }
      }
    }
    result.alpha = .straight
    return result
  }

  /// The picture, R′G′B′A, with the colours of another one of the same size and its own alpha.
  func with(_ colors: Image) -> Image {
    var result = colors.converted(to: .rgba8)
    result.orientation = orientation
    guard alpha != .opaque else { return result }
    result.setChannel(3, to: channel(3))
    result.alpha = alpha
    return result
  }
}
