import CBackdropKernels
import Libc

extension Image {
  /// The image with a colour matrix applied to R′G′B′ and clamped; alpha stays.
  ///
  /// RGB formats are within half a level and a hundredth of exact arithmetic. Y′CbCr stays Y′CbCr, the matrix composed with
  /// the colour description's: equal to going through R′G′B′, except that clamping is to the nominal Y′, Cb and Cr instead of
  /// to 0…1 in R′G′B′, and that, with halved chroma, luma sees the chroma sample of its group and chroma the mean luma.
  /// Premultiplied alpha is right only for matrices without constants.
  ///
  /// - Throws: `unsupported` for grey formats.
  public func graded(_ matrix: ColorMatrix) throws(BackdropError) -> Image {
    var output = sibling()
    try grade(matrix, into: &output)
    return output
  }

  /// ``graded(_:)`` into an image of the same format and size.
  ///
  /// - Throws: `unsupported` for grey formats, `wrongArgument` for another format or size.
  public func grade(_ matrix: ColorMatrix, into output: inout Image) throws(BackdropError) {
    try grade(matrix, into: &output, level: .current)
  }

  package func grade(_ matrix: ColorMatrix, into output: inout Image, level: CPULevel) throws(BackdropError) {
    try checkSame(output)
    guard matrix != .identity else {
      output = self
      return
    }
    output.adopt(self)
    let kernels = level.kernels.pixel
    switch format {
    case .gray8, .gray16, .grayFloat:
      throw BackdropError(
        .unsupported, "a colour matrix does not work on \(format.rawValue)", hint: "convert it to rgb8")
    case .bgra8, .rgba8, .rgb8:
      let coefficients = matrix.bytes(order: format == .bgra8 ? [2, 1, 0] : [0, 1, 2])
      let channels = Int32(format.channels(plane: 0))
      forEachRow(into: &output) { target, source, _ in
        kernels.matrix(target, source, width, channels, coefficients)
      }
    case .i420, .nv12, .yuyv:
      let matrices = YUVMatrices(color)
      let coefficients = matrix.yuv(matrices)
      let limits = matrices.limits.map { Float($0) }
      forEachYUVGroup(into: &output) { target, source, _ in
        kernels.yuv_matrix(&target, &source, width, coefficients, limits)
      }
    }
  }

  /// Every channel raised to `gamma` (0…1 scale): above 1 darkens, below 1 brightens; alpha stays.
  ///
  /// 8-bit RGB and grey: the exact power, rounded, by a table; gray16 and Float: computed, negative values and NaN give 0.
  /// Y′CbCr: the curve goes on luma, and chroma is scaled by what happened to its group's mean luma, which keeps hue and
  /// saturation; applying it to R′G′B′ would shift saturated colours a little more.
  ///
  /// - Throws: `wrongArgument` unless gamma is above 0 and at most 100.
  public func withGamma(_ gamma: Double) throws(BackdropError) -> Image {
    var output = sibling()
    try applyGamma(gamma, into: &output)
    return output
  }

  /// ``withGamma(_:)`` into an image of the same format and size.
  ///
  /// - Throws: as ``withGamma(_:)``; `wrongArgument` for another format or size of `output`.
  public func applyGamma(_ gamma: Double, into output: inout Image) throws(BackdropError) {
    try applyGamma(gamma, into: &output, level: .current)
  }

  package func applyGamma(_ gamma: Double, into output: inout Image, level: CPULevel) throws(BackdropError) {
    try checkSame(output)
    try checkGamma(gamma)
    guard gamma != 1 else {
      output = self
      return
    }
    output.adopt(self)
    let kernels = level.kernels.pixel
    switch format {
    case .bgra8, .rgba8, .rgb8, .gray8:
      let table = (0..<256).map { UInt8((255 * pow(Double($0) / 255, gamma) + 0.5).rounded(.down)) }
      let skip = Int32(format.hasAlpha ? 4 : 1)
      let count = layout(0).rowBytes
      forEachRow(into: &output) { target, source, _ in kernels.lookup(target, source, count, skip, table) }
    case .grayFloat:
      forEachRow(into: &output) { target, source, _ in
        kernels.power(
          UnsafeMutableRawPointer(target).assumingMemoryBound(to: Float.self),
          UnsafeRawPointer(source).assumingMemoryBound(to: Float.self), width, Float(gamma))
      }
    case .gray16:
      forEachRow(into: &output) { target, source, _ in
        let from = UnsafeRawPointer(source).assumingMemoryBound(to: UInt16.self)
        let to = UnsafeMutableRawPointer(target).assumingMemoryBound(to: UInt16.self)
        for x in 0..<width { to[x] = UInt16((65535 * pow(Double(from[x]) / 65535, gamma) + 0.5).rounded(.down)) }
      }
    case .i420, .nv12, .yuyv:
      let limits = YUVMatrices(color).limits
      let (black, span) = (limits[0], limits[1] - limits[0])
      let curve = (0..<256).map { pow(min(max((Double($0) - black) / span, 0), 1), gamma) }
      let table = curve.map { UInt8((black + span * $0 + 0.5).rounded(.down)) }
      let gain = curve.enumerated().map { index, value -> Float in
        let before = (Double(index) - black) / span
        // The curve's slope at black may be without bound; a group this dark has no colour to speak of.
        return before <= 0.02 ? 1 : Float(value / min(before, 1))
      }
      let chroma = [Float(limits[2]), Float(limits[3])]
      forEachYUVGroup(into: &output) { target, source, _ in
        kernels.yuv_curve(&target, &source, width, table, gain, chroma)
      }
    }
  }
}

extension Plane<Float> {
  /// Every sample raised to `gamma`; negative samples and NaN give 0.
  ///
  /// - Throws: `wrongArgument` unless gamma is above 0 and at most 100, or for another size of `output`.
  public func applyGamma(_ gamma: Double, into output: inout Plane<Float>) throws(BackdropError) {
    try checkSize(output)
    try checkGamma(gamma)
    let kernel = CPULevel.current.kernels.pixel.power!
    withUnsafePointer { source in
      let target = output.stride
      output.withUnsafeMutablePointer {
        for y in 0..<height { kernel($0 + y * target, source + y * stride, width, Float(gamma)) }
      }
    }
  }
}

private func checkGamma(_ gamma: Double) throws(BackdropError) {
  guard gamma > 0 && gamma <= 100 else {
    throw BackdropError(.wrongArgument, "gamma cannot be \(gamma)", hint: "use a gamma above 0, up to 100")
  }
}
