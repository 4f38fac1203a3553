import BackdropImaging

/// What a person chose to be behind.
public enum Background: Sendable {
  /// A picture, cropped and scaled to the frame (aspect fill, centred). For a moving background set each of its frames.
  case picture(Image)
  /// One colour.
  case color(RGBColor)
  /// The frame itself, blurred; the standard deviation in pixels of the frame.
  case blur(sigma: Double)

  /// No background chosen.
  public static let black = Background.color(.black)
}

extension Image {
  /// An image of one colour.
  init(_ value: RGBColor, _ format: PixelFormat, width: Int, height: Int, color: ColorDescription = .video) {
    self.init(format, width: width, height: height, color: color)
    fill(value)
  }
}
