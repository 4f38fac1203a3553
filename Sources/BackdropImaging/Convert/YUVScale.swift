import CBackdropKernels

/// The numbers of one ``ColorDescription`` (ITU-R BT.601-7 §2.5, BT.709-6 §3, BT.2020-2 table 4, BT.2100-2 table 9; full range as in JFIF
/// 1.02). The kernels of conversion take those for samples of 8 bits.
struct YUVScale {
  /// The weights of red, green and blue in luma; they add up to 1.
  var red, green, blue: Double
  /// Sample value of black, and levels between black and white.
  var lumaOffset, lumaScale: Double
  /// Levels between the largest and smallest colour difference, which lie around 128 in 8 bits.
  var chromaScale: Double

  init(_ color: ColorDescription, bits: Int = 8) {
    red = color.matrix.kr
    blue = color.matrix.kb
    green = 1 - red - blue
    let unit = Double(1 << (bits - 8))
    switch color.range {
    case .limited: (lumaOffset, lumaScale, chromaScale) = (16 * unit, 219 * unit, 224 * unit)
    case .full: (lumaOffset, lumaScale, chromaScale) = (0, 256 * unit - 1, 256 * unit - 1)
    }
  }

  /// In the kernels' fixed point, R′G′B′ to Y′CbCr.
  ///
  /// Truncation reduces each of a luma sample's three products by 1/256 on average, which the offset compensates.
  var toYUV: bd_to_yuv {
    func weight(_ value: Double) -> Int16 { Int16((value * 32768).rounded()) }
    let luma = lumaScale / 255
    let chroma = chromaScale / 255
    let cb = chroma / (2 * (1 - blue))
    let cr = chroma / (2 * (1 - red))
    return bd_to_yuv(
      y_red: weight(red * luma), y_green: weight(green * luma), y_blue: weight(blue * luma),
      y_offset: Int16((128 * (lumaOffset + 128 * luma) + 64 + 1.5).rounded(.down)),
      cb_blue: weight(chroma / 2), cb_red: weight(cb * red), cb_green: weight(cb * green),
      cr_red: weight(chroma / 2), cr_green: weight(cr * green), cr_blue: weight(cr * blue))
  }

  /// In the kernels' fixed point, Y′CbCr to R′G′B′.
  ///
  /// Truncation reduces two or three products by 1/64 each on average; the offset rounds and compensates one of them.
  var fromYUV: bd_from_yuv {
    let luma = 255 / lumaScale
    let chroma = 255 / chromaScale
    func factor(_ value: Double) -> Int16 { Int16((value * chroma * 8192).rounded()) }
    return bd_from_yuv(
      luma: Int16((luma * 16384).rounded()), offset: Int16((16.5 + (128 - lumaOffset) * luma * 32).rounded()),
      cr_red: factor(2 * (1 - red)), cb_green: factor(2 * (1 - blue) * blue / green),
      cr_green: factor(2 * (1 - red) * red / green), cb_blue: factor(2 * (1 - blue)))
  }

  /// In the kernels' fixed point, to Y′CbCr of another description: the product of both conversions through R′G′B′.
  func recolor(to target: YUVScale) -> bd_recolor {
    // New luma is old luma plus these parts of the old colour differences (each in 0…1 and -0.5…0.5).
    let fromBlue = 2 * (1 - blue) * (target.blue - target.green * blue / green)
    let fromRed = 2 * (1 - red) * (target.red - target.green * red / green)
    let luma = target.lumaScale / lumaScale
    let chroma = 1 / chromaScale
    let cb = target.chromaScale / (2 * (1 - target.blue))
    let cr = target.chromaScale / (2 * (1 - target.red))
    func factor(_ value: Double) -> Int16 { Int16((value * chroma * 8192).rounded()) }
    return bd_recolor(
      luma: Int16((luma * 16384).rounded()), luma_cb: factor(fromBlue * target.lumaScale),
      luma_cr: factor(fromRed * target.lumaScale),
      offset: Int16((32 * (target.lumaOffset + (128 - lumaOffset) * luma) + 17.5).rounded()),
      cb_cb: factor(cb * (2 * (1 - blue) - fromBlue)), cb_cr: factor(-cb * fromRed),
      cr_cb: factor(-cr * fromBlue), cr_cr: factor(cr * (2 * (1 - red) - fromRed)))
  }
}
