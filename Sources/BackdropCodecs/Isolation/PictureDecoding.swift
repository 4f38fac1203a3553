import BackdropImaging

package struct PictureDecoding: IsolatedFunction {
  package static let name = "picture"
  let format: PictureFormat
  let wanted: PixelFormat?
  let mapsTones: Bool
  package let limits: ImageLimits

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> Image {
    try format.codec.pixels(of: bytes, as: wanted, mapsTones: mapsTones, limits: limits)
  }

  package func accepts(_ answer: Image, byteCount: Int) -> Bool {
    answer.format == wanted || [.gray8, .gray16, .rgba8].contains(answer.format)
  }
}

extension PictureDecoding {
  package init(from wire: inout WireReader) throws(BackdropError) {
    try self.init(format: wire.read(), wanted: wire.read(), mapsTones: wire.read(), limits: wire.read())
  }
  package func write(to wire: inout WireWriter) { wire.write(format, wanted, mapsTones, limits) }
}

package struct PictureHeading: IsolatedFunction {
  package static let name = "picture header"
  let format: PictureFormat
  package let limits: ImageLimits

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> PictureHeader {
    try format.codec.header(of: bytes, limits: limits)
  }

  package func accepts(_ answer: PictureHeader, byteCount: Int) -> Bool {
    do throws(BackdropError) { try limits.check(width: answer.width, height: answer.height) } catch { return false }
    return answer.frameCount > 0 && (8...64).contains(answer.bitsPerSample)
  }
}

extension PictureHeading {
  package init(from wire: inout WireReader) throws(BackdropError) {
    try self.init(format: wire.read(), limits: wire.read())
  }
  package func write(to wire: inout WireWriter) { wire.write(format, limits) }
}

extension PictureFormat: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    guard let format = Self(named: try wire.read()) else { throw WireReader.damaged }
    self = format
  }
  package func write(to wire: inout WireWriter) { wire.write(name) }
}

extension PictureHeader: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    try self.init(
      width: wire.read(), height: wire.read(), orientation: wire.read(), colorSpace: wire.read(), metadata: wire.read(),
      frameCount: wire.read(), bitsPerSample: wire.read(), isDeepGray: wire.read())
  }
  package func write(to wire: inout WireWriter) {
    wire.write(width, height, orientation, colorSpace, metadata, frameCount, bitsPerSample, isDeepGray)
  }
}

extension PictureMetadata: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    try self.init(exif: wire.read(), xmp: wire.read())
    (imageResources, texts, pixelsPerMetre) = try (wire.read(), wire.read(), wire.read())
  }
  package func write(to wire: inout WireWriter) { wire.write(exif, xmp, imageResources, texts, pixelsPerMetre) }
}

extension PictureText: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    try self.init(keyword: wire.read(), wire.read())
  }
  package func write(to wire: inout WireWriter) { wire.write(keyword, bytes) }
}

extension PictureMetadata.PixelsPerMetre: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) { try self.init(x: wire.read(), y: wire.read()) }
  package func write(to wire: inout WireWriter) { wire.write(x, y) }
}
