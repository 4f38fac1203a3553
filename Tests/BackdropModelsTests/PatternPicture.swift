import BackdropImaging
import TestSupport

extension Image {
  /// A picture of which no two parts are the same, in RGB, RGBA or BGRA.
  static func pattern(_ format: PixelFormat, _ width: Int, _ height: Int) -> Image {
    drawn(format, width, height) { x, y in
      let colors = (0..<3).map { (37 * x + 101 * y + 53 * $0 + x * y) % 256 }
      if format == .rgb8 { return colors }
      return (format == .bgra8 ? colors.reversed() : colors) + [255]
    }
  }
}
