import BackdropImaging

/// The positions of the three channels of a picture's pixels, for the guided filter. The filter needs no particular colour space: it is
/// invariant under affine changes of colours, except for its epsilon.
struct GuidedChannels {
  static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8, .i420, .nv12]

  private var offsets: (Int, Int, Int)
  let strides: (Int, Int, Int)
  let steps: (Int32, Int32, Int32)
  let halved: (Int32, Int32, Int32)

  init(_ image: Image) {
    let first = image.layout(0)
    switch image.format {
    case .i420:
      let (u, v) = (image.layout(1), image.layout(2))
      offsets = (first.offset, u.offset, v.offset)
      strides = (first.bytesPerRow, u.bytesPerRow, v.bytesPerRow)
      steps = (1, 1, 1)
      halved = (0, 1, 1)
    case .nv12:
      let chroma = image.layout(1)
      offsets = (first.offset, chroma.offset, chroma.offset + 1)
      strides = (first.bytesPerRow, chroma.bytesPerRow, chroma.bytesPerRow)
      steps = (1, 2, 2)
      halved = (0, 1, 1)
    default:
      let step: Int32 = image.format == .rgb8 ? 3 : 4
      offsets = (first.offset, first.offset + 1, first.offset + 2)
      strides = (first.bytesPerRow, first.bytesPerRow, first.bytesPerRow)
      steps = (step, step, step)
      halved = (0, 0, 0)
    }
  }

  /// The same channels, starting at a pixel with an even position if chroma has half the size.
  func starting(x: Int, y: Int) -> GuidedChannels {
    var result = self
    func offset(_ stride: Int, _ step: Int32, _ halved: Int32) -> Int {
      (y >> halved) * stride + (x >> halved) * Int(step)
    }
    result.offsets.0 += offset(strides.0, steps.0, halved.0)
    result.offsets.1 += offset(strides.1, steps.1, halved.1)
    result.offsets.2 += offset(strides.2, steps.2, halved.2)
    return result
  }

  func pointer(_ channel: Int, _ base: UnsafeRawPointer) -> UnsafePointer<UInt8> {
    let offset = channel == 0 ? offsets.0 : channel == 1 ? offsets.1 : offsets.2
    return (base + offset).assumingMemoryBound(to: UInt8.self)
  }
}
