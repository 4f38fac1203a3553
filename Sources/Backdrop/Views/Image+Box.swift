extension Image {
  /// Fills a rectangle of an `rgb8` or `rgba8` image with an opaque colour, clipped to the image.
  mutating func box(
    _ left: Int, _ top: Int, _ boxWidth: Int, _ boxHeight: Int, _ color: (red: UInt8, green: UInt8, blue: UInt8)
  ) {
    let step = format == .rgba8 ? 4 : 3
    let columns = max(0, left)..<max(max(0, left), min(width, left + boxWidth))
    for y in max(0, top)..<max(max(0, top), min(height, top + boxHeight)) {
      var row = mutableRow(y)
      for x in columns {
        (row[step * x], row[step * x + 1], row[step * x + 2]) = (color.red, color.green, color.blue)
        if step == 4 { row[4 * x + 3] = 255 }
      }
    }
  }
}
