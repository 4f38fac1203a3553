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
    self.init(format: try wire.read(), wanted: try wire.read(), mapsTones: try wire.read(), limits: try wire.read())
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
    self.init(format: try wire.read(), limits: try wire.read())
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
    self.init(
      width: try wire.read(), height: try wire.read(), orientation: try wire.read(), colorSpace: try wire.read(),
      metadata: try wire.read(), frameCount: try wire.read(), bitsPerSample: try wire.read(),
      isDeepGray: try wire.read())
  }
  package func write(to wire: inout WireWriter) {
    wire.write(width, height, orientation, colorSpace, metadata, frameCount, bitsPerSample, isDeepGray)
  }
}

extension PictureMetadata: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self.init(exif: try wire.read(), xmp: try wire.read())
    imageResources = try wire.read()
    texts = try wire.read()
    pixelsPerMetre = try wire.read()
  }
  package func write(to wire: inout WireWriter) {
    wire.write(exif, xmp, imageResources, texts, pixelsPerMetre)
  }
}

extension PictureText: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self.init(keyword: try wire.read(), try wire.read())
  }
  package func write(to wire: inout WireWriter) { wire.write(keyword, bytes) }
}

extension PictureMetadata.PixelsPerMetre: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) { self.init(x: try wire.read(), y: try wire.read()) }
  package func write(to wire: inout WireWriter) { wire.write(x, y) }
}
