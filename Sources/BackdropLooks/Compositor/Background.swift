import BackdropImaging

/// A chosen background.
public enum Background: Sendable {
  /// A picture, cropped and scaled to the frame (aspect fill, centred). Set each frame of a moving background.
  case picture(Image)
  /// One colour.
  case color(RGBColor)
  /// The frame itself without the parts under the matte, blurred; the standard deviation in pixels of the frame.
  case blur(sigma: Double)
  /// The frame itself without the parts under the matte, out of focus as through a lens. The value is the radius of the disc that a point
  /// becomes, in pixels of the frame. See `DiscBlur`.
  case bokeh(radius: Double)

  /// The default, if no background was chosen.
  public static let black = Background.color(.black)
}

extension Image {
  /// The image over black, without transparency.
  package func flattened() -> Image {
    guard alpha != .opaque && format.hasAlpha else { return self }
    var result = self
    result.alpha = .opaque
    for y in 0..<height {
      var row = result.mutableRow(y)
      for x in stride(from: 0, to: row.count, by: 4) {
        let coverage = Int(row[x + 3])
        if alpha == .straight { for c in 0..<3 { row[x + c] = UInt8((Int(row[x + c]) * coverage + 127) / 255) } }
        row[x + 3] = 255
      }
    }
    return result
  }

  init(_ value: RGBColor, _ format: PixelFormat, width: Int, height: Int, color: ColorDescription = .video) {
    self.init(format, width: width, height: height, color: color)
    fill(value)
  }
}
