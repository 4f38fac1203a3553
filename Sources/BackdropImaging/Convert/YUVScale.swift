/// The numbers of one ``ColorDescription``, for samples of 8 bits (ITU-R BT.601-7 §2.5, BT.709-6 §3, BT.2020-2 table 4;
/// full range as in JFIF 1.02).
struct YUVScale {
  /// The weights of red, green and blue in luma; they add up to 1.
  var red, green, blue: Double
  /// Sample value of black, and levels between black and white.
  var lumaOffset, lumaScale: Double
  /// Levels between the largest and smallest colour difference, which lie around 128.
  var chromaScale: Double

  init(_ color: ColorDescription) {
    red = color.matrix.kr
    blue = color.matrix.kb
    green = 1 - red - blue
    switch color.range {
    case .limited: (lumaOffset, lumaScale, chromaScale) = (16, 219, 224)
    case .full: (lumaOffset, lumaScale, chromaScale) = (0, 255, 255)
    }
  }
}
