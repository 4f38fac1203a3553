import CBackdropKernels

extension Image {
  /// The smaller of the two pictures in every channel (Core Image's `CIDarkenBlendMode` for opaque pictures).
  ///
  /// Y′CbCr is compared in R′G′B′, pixel by pixel, with the chroma sample of the group, and chroma is averaged after. Both
  /// pictures are taken to have this one's colour description.
  ///
  /// - Throws: `wrongArgument` for another format or size, `unsupported` for gray16 and grayFloat.
  public func darkened(by other: Image) throws(BackdropError) -> Image {
    try darkened(by: other, level: .current)
  }

  package func darkened(by other: Image, level: CPULevel) throws(BackdropError) -> Image {
    try checkSame(other)
    try checkDarken()
    var output = sibling()
    let kernels = level.kernels.pixel
    if format.isYUV {
      let (decode, encode) = floatMatrices
      other.withUnsafeBytes { base in
        let second = YUVAddresses(other, base: base)
        forEachYUVGroup(into: &output) { target, source, group in
          var rows = second.rows(group, height: height)
          kernels.yuv_darken(&target, &source, &rows, width, decode, encode)
        }
      }
    } else {
      let (count, stride) = (layout(0).rowBytes, layout(0).bytesPerRow)
      other.withUnsafeBytes { base in
        forEachRow(into: &output) { target, source, y in
          kernels.least(target, source, (base + y * stride).assumingMemoryBound(to: UInt8.self), count)
        }
      }
    }
    return output
  }

  /// The smaller of picture and colour in every channel; alpha stays. See ``darkened(by:)-(Image)``.
  ///
  /// - Throws: `unsupported` for gray16 and grayFloat.
  public func darkened(by color: RGBColor) throws(BackdropError) -> Image {
    try darkened(by: color, level: .current)
  }

  package func darkened(by color: RGBColor, level: CPULevel) throws(BackdropError) -> Image {
    try checkDarken()
    var output = sibling()
    let kernels = level.kernels.pixel
    let pattern = color.bytes(format, description: self.color)
    if format.isYUV {
      let (decode, encode) = floatMatrices
      let bytes =
        format == .yuyv ? [pattern[0][0], pattern[0][1], pattern[0][3]] : pattern.flatMap { $0 }
      bytes.withUnsafeBufferPointer { constant in
        // Three bytes, so there is a first one.
        let y = constant.baseAddress!
        forEachYUVGroup(into: &output) { target, source, _ in
          var rows = bd_yuv_source(y0: y, y1: y, cb: y + 1, cr: y + 2, y_step: 0, c_step: 0)
          kernels.yuv_darken(&target, &source, &rows, width, decode, encode)
        }
      }
    } else {
      let count = layout(0).rowBytes
      let row = (0..<count).map { pattern[0][$0 % pattern[0].count] }
      forEachRow(into: &output) { target, source, _ in kernels.least(target, source, row, count) }
    }
    return output
  }

  private func checkDarken() throws(BackdropError) {
    guard format != .gray16 && format != .grayFloat else {
      throw BackdropError(.unsupported, "darkening does not work on \(format.rawValue)", hint: "convert it to gray8")
    }
  }

  private var floatMatrices: (decode: [Float], encode: [Float]) {
    let matrices = YUVMatrices(color)
    return (matrices.decode.map { Float($0) }, matrices.encode.map { Float($0) })
  }
}
