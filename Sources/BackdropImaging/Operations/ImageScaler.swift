/// Scaling of a part of images of one format and size to another size, prepared once and applied many times without
/// allocation.
///
/// Every plane is scaled separately, including Y′CbCr. Chroma is assumed in the middle of its luma samples (as in JPEG and MPEG-1), with
/// luma's scale also for odd sizes. Video with chroma above the left luma sample is off by less than a quarter of an output pixel. Only
/// pixels in the region are read. Alpha is scaled like a colour: premultiply straight alpha first. See `Plane.scaled(toWidth:height:filter:level:)` for exactness.
package struct ImageScaler: Sendable {
  package let format: PixelFormat
  package let sourceWidth: Int, sourceHeight: Int
  package let width: Int, height: Int
  private let scalers: [SeparableScaler]
  private let level: CPULevel

  /// Prepares the weights; `region` is the part of the source to scale, or `nil` for the whole.
  ///
  /// - Throws: `wrongArgument` for a size without pixels or a region outside the source.
  package init(
    _ format: PixelFormat, sourceWidth: Int, sourceHeight: Int, region: Rect? = nil, width: Int, height: Int,
    filter: ScaleFilter = .automatic, level: CPULevel = .current
  ) throws(BackdropError) {
    try checkScale(sourceWidth: sourceWidth, sourceHeight: sourceHeight, width: width, height: height)
    let part =
      region ?? Rect(x: 0, y: 0, width: Double(sourceWidth), height: Double(sourceHeight))
    // Written so that NaN also fails.
    guard
      part.x >= 0 && part.y >= 0 && part.width > 0 && part.height > 0
        && part.x + part.width <= Double(sourceWidth) + 1e-6
        && part.y + part.height <= Double(sourceHeight) + 1e-6
    else {
      throw BackdropError(
        .wrongArgument,
        "the region \(part.x),\(part.y) \(part.width)×\(part.height) does not fit in \(sourceWidth)×\(sourceHeight)")
    }
    (self.format, self.sourceWidth, self.sourceHeight) = (format, sourceWidth, sourceHeight)
    (self.width, self.height, self.level) = (width, height, level)
    let across = ScaleAxis(sourceCount: sourceWidth, part: part.x...(part.x + part.width), count: width)
    let down = ScaleAxis(sourceCount: sourceHeight, part: part.y...(part.y + part.height), count: height)
    scalers = (0..<format.componentCount).map { index in
      let source = format.component(index, width: sourceWidth, height: sourceHeight)
      let x = source.halvesX ? ScaleAxis(chromaOf: across) : across
      let y = source.halvesY ? ScaleAxis(chromaOf: down) : down
      return SeparableScaler(
        source.shape, vertical: y.taps(filter),
        // A part at the left edge is not an identity, although its columns are.
        horizontal: x.isIdentity && x.count == source.shape.width ? nil : x.taps(filter), kind: source.shape.kind,
        level: level)
    }
  }

  /// Scales `source` into `output`, which gets its colour description, alpha kind and orientation.
  ///
  /// - Throws: `wrongArgument` if either has another format or size than prepared.
  package func apply(_ source: Image, into output: inout Image, scratch: ScratchMemory) throws(BackdropError) {
    guard
      source.format == format && output.format == format && source.width == sourceWidth
        && source.height == sourceHeight && output.width == width && output.height == height
    else {
      throw BackdropError(
        .wrongArgument,
        "expected \(sourceWidth)×\(sourceHeight) to \(width)×\(height) \(format.rawValue), found \(source.width)×\(source.height) \(source.format.rawValue) to \(output.width)×\(output.height) \(output.format.rawValue)"
      )
    }
    output.adopt(source)
    source.forEachComponent(
      into: &output, scratch: scratch, level: level, bytes: { scalers[$0.plane].scratchBytes },
      apply: { part, input, target, memory in scalers[part.plane].apply(input, to: target, scratch: memory) })
  }
}
