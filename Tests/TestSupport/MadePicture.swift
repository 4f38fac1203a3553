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

  /// A picture of `pixel`: all channels of the pixel at a column and a row. It is slow, for pictures below a megapixel.
  public static func drawn(
    _ format: PixelFormat, _ width: Int, _ height: Int, color: ColorDescription = .video,
    _ pixel: (_ x: Int, _ y: Int) -> [Int]
  ) -> Image {
    var image = Image(format, width: width, height: height, color: color)
    for y in 0..<height {
      var row = image.mutableRow(y)
      for x in 0..<width {
        let channels = pixel(x, y)
        for index in channels.indices { row[channels.count * x + index] = UInt8(channels[index]) }
      }
    }
    return image
  }
}
