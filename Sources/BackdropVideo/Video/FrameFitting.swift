import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Fits whole frames of another shape into the middle of a video's original picture.
struct FrameFitting {
  private let width: Int, height: Int
  /// The display width of the first frame divided by its height.
  private let aspect: Double

  /// Width and height are the delivered ones, from the file's header; `first` is the decoder's first frame.
  init(width: Int, height: Int, first: AVFrame) {
    (self.width, self.height) = (width, height)
    aspect = Self.aspect(first)
  }

  /// The rectangle of a frame, with even corners for half-size chroma; `nil` if it fills the picture.
  func rectangle(of frame: AVFrame) -> (x: Int, y: Int, width: Int, height: Int)? {
    let ratio = Self.aspect(frame) / aspect
    // Coders round sizes up to whole blocks.
    guard abs(ratio - 1) > 0.02, ratio.isFinite, ratio > 0 else { return nil }
    let wide = ratio < 1 ? max(2, Int(Double(width) * ratio)) : width
    let high = ratio > 1 ? max(2, Int(Double(height) / ratio)) : height
    guard wide <= width && high <= height else { return nil }
    return ((width - wide) / 2 & ~1, (height - high) / 2 & ~1, wide, high)
  }

  private static func aspect(_ frame: AVFrame) -> Double {
    let pixel = Rational(frame.sample_aspect_ratio)
    return Double(frame.width) / Double(max(1, frame.height)) * (pixel.isPositive ? pixel.value : 1)
  }
}
