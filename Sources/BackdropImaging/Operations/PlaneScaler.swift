/// Scaling of one plane from one size to another, prepared once and applied many times without allocation.
///
/// Pixel centres are at half-pixel positions; rows and columns are scaled independently; edges are replicated. Weights are Float32: results
/// differ from exact arithmetic by rounding only (8 bits: half a level and a thousandth; 16 bits: half a level and a hundredth; Float: 1e-6
/// of the largest sample). NaN spreads to every output to which it contributes, so fill or mark holes first.
package struct PlaneScaler<Sample: PixelSample>: Sendable {
  private let scaler: SeparableScaler?

  package let sourceWidth: Int, sourceHeight: Int
  package let width: Int, height: Int

  /// Prepares the weights.
  ///
  /// - Throws: `wrongArgument` for a size without pixels.
  package init(
    sourceWidth: Int, sourceHeight: Int, width: Int, height: Int, filter: ScaleFilter = .bicubic,
    level: CPULevel = .current
  ) throws(BackdropError) {
    try checkScale(sourceWidth: sourceWidth, sourceHeight: sourceHeight, width: width, height: height)
    self.sourceWidth = sourceWidth
    self.sourceHeight = sourceHeight
    self.width = width
    self.height = height
    let across = ScaleAxis(sourceCount: sourceWidth, part: 0...Double(sourceWidth), count: width)
    let down = ScaleAxis(sourceCount: sourceHeight, part: 0...Double(sourceHeight), count: height)
    guard !across.isIdentity || !down.isIdentity else {
      scaler = nil
      return
    }
    scaler = SeparableScaler(
      SampleShape(kind: Sample.sampleKind, width: sourceWidth, height: sourceHeight, channels: 1),
      vertical: down.taps(filter), horizontal: across.isIdentity ? nil : across.taps(filter), kind: Sample.sampleKind,
      level: level)
  }

  /// Scales `source` into `output`.
  ///
  /// - Throws: `wrongArgument` if either has another size than prepared.
  package func apply(
    _ source: Plane<Sample>, into output: inout Plane<Sample>, scratch: ScratchMemory
  ) throws(BackdropError) {
    guard
      source.width == sourceWidth && source.height == sourceHeight && output.width == width && output.height == height
    else {
      throw BackdropError(
        .wrongArgument,
        "expected \(sourceWidth)×\(sourceHeight) to \(width)×\(height), found \(source.width)×\(source.height) to \(output.width)×\(output.height)"
      )
    }
    guard let scaler else {
      output = source
      return
    }
    let memory = scratch.reserve(scaler.scratchBytes)
    source.withSource { input in output.withTarget { scaler.apply(input, to: $0, scratch: memory) } }
  }
}

extension Plane where Sample: PixelSample {
  /// The plane scaled to another size; see ``PlaneScaler`` for repeated use.
  ///
  /// - Throws: `wrongArgument` for a size without samples.
  package func scaled(
    toWidth width: Int, height: Int, filter: ScaleFilter = .automatic
  ) throws(BackdropError) -> Plane {
    let scaler = try PlaneScaler<Sample>(
      sourceWidth: self.width, sourceHeight: self.height, width: width, height: height, filter: filter)
    var output = Plane(uninitializedWidth: width, height: height)
    try scaler.apply(self, into: &output, scratch: ScratchMemory())
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
