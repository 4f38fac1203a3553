import BackdropImaging

extension Image {
  /// A picture of random bytes.
  public static func noise(
    _ format: PixelFormat, _ width: Int, _ height: Int, _ random: inout SeededRandom
  ) -> Image {
    var image = Image(format, width: width, height: height)
    for plane in 0..<format.planeCount {
      for y in 0..<image.layout(plane).rows {
        var row = image.mutableRow(y, plane: plane)
        for x in row.indices { row[x] = UInt8.random(in: 0...255, using: &random) }
      }
    }
    return image
  }
}
