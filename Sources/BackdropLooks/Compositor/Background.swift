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
  public init(
    _ value: RGBColor, _ format: PixelFormat, width: Int, height: Int, color: ColorDescription = .video
  ) {
    self.init(format, width: width, height: height, color: color)
    let (y, cb, cr) = color.encode(value)
    for plane in 0..<format.planeCount {
      let pattern: [UInt8] =
        switch format {
        case .bgra8: [value.blue, value.green, value.red, 255]
        case .rgba8: [value.red, value.green, value.blue, 255]
        case .rgb8: [value.red, value.green, value.blue]
        case .i420: [[y], [cb], [cr]][plane]
        case .nv12: plane == 0 ? [y] : [cb, cr]
        case .yuyv: [y, cb, y, cr]
        case .gray8: [y]
        case .gray16, .grayFloat: preconditionFailure("no colours in \(format)")
        }
      for row in 0..<layout(plane).rows {
        var samples = mutableRow(row, plane: plane)
        for x in samples.indices { samples[x] = pattern[x % pattern.count] }
      }
    }
  }
}

extension ColorDescription {
  /// The Y′CbCr samples of a colour, by the matrix and range.
  func encode(_ value: RGBColor) -> (y: UInt8, cb: UInt8, cr: UInt8) {
    let r = Double(value.red) / 255
    let g = Double(value.green) / 255
    let b = Double(value.blue) / 255
    let luma = matrix.kr * r + (1 - matrix.kr - matrix.kb) * g + matrix.kb * b
    let cb = (b - luma) / (2 * (1 - matrix.kb))
    let cr = (r - luma) / (2 * (1 - matrix.kr))
    let (scale, offset, chroma) = range == .full ? (255.0, 0.0, 255.0) : (219.0, 16.0, 224.0)
    func sample(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
    return (sample(luma * scale + offset), sample(cb * chroma + 128), sample(cr * chroma + 128))
  }
}
