extension Plane where Sample: PixelSample {
  /// The plane scaled to another size.
  ///
  /// Pixel centres are at half-pixel positions; rows and columns are scaled independently; edges are replicated. Weights are Float32:
  /// results differ from exact arithmetic by rounding only (8 bits: half a level and a thousandth; 16 bits: half a level and a hundredth;
  /// Float: 1e-6 of the largest sample). NaN spreads to every output to which it contributes, so fill or mark holes first.
  ///
  /// - Throws: `wrongArgument` for a size without samples.
  package func scaled(
    toWidth newWidth: Int, height newHeight: Int, filter: ScaleFilter = .automatic, level: CPULevel = .current
  ) throws(BackdropError) -> Plane {
    try checkScale(sourceWidth: width, sourceHeight: height, width: newWidth, height: newHeight)
    let across = ScaleAxis(sourceCount: width, part: 0...Double(width), count: newWidth)
    let down = ScaleAxis(sourceCount: height, part: 0...Double(height), count: newHeight)
    guard !across.isIdentity || !down.isIdentity else { return self }
    let scaler = SeparableScaler(
      shape, vertical: down.taps(filter), horizontal: across.isIdentity ? nil : across.taps(filter),
      kind: Sample.sampleKind, level: level)
    var output = Plane(uninitializedWidth: newWidth, height: newHeight)
    let scratch = ScratchMemory()
    let memory = scratch.reserve(scaler.scratchBytes)
    withSource { input in output.withTarget { scaler.apply(input, to: $0, scratch: memory) } }
    withExtendedLifetime(scratch) {}
    return output
  }
}

/// - Throws: `wrongArgument` for sizes without pixels, `overLimit` beyond ``ImageLimits/standard``.
func checkScale(sourceWidth: Int, sourceHeight: Int, width: Int, height: Int) throws(BackdropError) {
  guard sourceWidth > 0 && sourceHeight > 0 && width > 0 && height > 0 else {
    throw BackdropError(
      .wrongArgument, "cannot scale \(sourceWidth)×\(sourceHeight) to \(width)×\(height)",
      hint: "both sizes need at least one pixel")
  }
  try ImageLimits.standard.check(width: width, height: height)
}
