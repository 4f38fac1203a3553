import BackdropImaging
import CFFmpeg

/// A picture in the encoder's form: rows of luma, and of Cb and Cr at half size for colour.
struct HEVCSource: Sendable {
  /// 8, 10 or 12.
  var bitDepth: Int
  /// One plane, or three.
  var planes: [Plane<UInt16>] = []
  /// `gray8` or `i420`, for a depth of 8.
  var image: Image?
  var width: Int
  var height: Int
  var color: ColorDescription

  /// An image with 8 bits, in grey or 4:2:0; the orientation is ignored.
  init(_ image: Image) {
    let ready =
      switch image.format {
      case .gray8, .gray16, .grayFloat: image.converted(to: .gray8)
      default: image.converted(to: .i420, color: image.format.isYUV ? image.color : .jpeg.with(image.color.space))
      }
    bitDepth = 8
    self.image = ready
    (width, height, color) = (ready.width, ready.height, ready.color)
  }

  /// The samples of an image in grey, with 8 bits and at full range.
  init(gray image: Image) { self.init(Image(gray: image.converted(to: .gray8).plane())) }

  /// Grey samples of 10 or 12 bits.
  init(_ plane: Plane<UInt16>, bitDepth: Int) {
    precondition(bitDepth == 10 || bitDepth == 12, "deep pictures have 10 or 12 bits")
    self.bitDepth = bitDepth
    planes = [plane]
    (width, height, color) = (plane.width, plane.height, .jpeg)
  }

  var isMonochrome: Bool { image.map { $0.format == .gray8 } ?? (planes.count == 1) }

  var format: AVPixelFormat {
    switch (isMonochrome, bitDepth) {
    case (true, 8): AV_PIX_FMT_GRAY8
    case (true, 10): AV_PIX_FMT_GRAY10LE
    case (true, _): AV_PIX_FMT_GRAY12LE
    case (false, _): AV_PIX_FMT_YUV420P
    }
  }
}
