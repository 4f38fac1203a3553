import BackdropImaging

/// Decodes a JPEG file.
package struct JPEGDecoding: IsolatedFunction {
  package static let name = "jpeg"
  private let format: PixelFormat?
  package let limits: ImageLimits

  init(format: PixelFormat?, limits: ImageLimits) { (self.format, self.limits) = (format, limits) }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (format, limits) = (try wire.read(), try wire.read())
  }
  package func write(to wire: inout WireWriter) { wire.write(format, limits) }

  package func run(_ bytes: Span<UInt8>) throws(BackdropError) -> Image {
    try JPEG.decode(bytes, as: format, limits: limits)
  }

  package func accepts(_ answer: Image, byteCount: Int) -> Bool { format == nil || answer.format == format }
}

/// Decodes a PNG file.
package struct PNGDecoding: IsolatedFunction {
  package static let name = "png"
  private let mapsTones: Bool
  package let limits: ImageLimits

  init(mapsTones: Bool, limits: ImageLimits) { (self.mapsTones, self.limits) = (mapsTones, limits) }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (mapsTones, limits) = (try wire.read(), try wire.read())
  }
  package func write(to wire: inout WireWriter) { wire.write(mapsTones, limits) }

  package func run(_ bytes: Span<UInt8>) throws(BackdropError) -> Image {
    try PNG.decode(bytes, mapsTones: mapsTones, limits: limits)
  }

  package func accepts(_ answer: Image, byteCount: Int) -> Bool { [.gray8, .gray16, .rgba8].contains(answer.format) }
}

/// Reads the colour space of a PNG file.
package struct PNGColors: IsolatedFunction {
  package static let name = "png colors"

  init() {}
  package init(from wire: inout WireReader) {}
  package func write(to wire: inout WireWriter) {}

  package func run(_ bytes: Span<UInt8>) throws(BackdropError) -> ColorSpace {
    try PNG.colorSpace(of: bytes.withUnsafeBytes { Array($0) })
  }
}

/// Reads the metadata of a PNG file.
package struct PNGMetadata: IsolatedFunction {
  package static let name = "png metadata"

  init() {}
  package init(from wire: inout WireReader) {}
  package func write(to wire: inout WireWriter) {}

  package func run(_ bytes: Span<UInt8>) -> PictureMetadata { PNG.metadata(of: bytes) }
}

/// Decodes a WebP file.
package struct WebPDecoding: IsolatedFunction {
  package static let name = "webp"
  package let limits: ImageLimits

  init(limits: ImageLimits) { self.limits = limits }

  package init(from wire: inout WireReader) throws(BackdropError) { limits = try wire.read() }
  package func write(to wire: inout WireWriter) { wire.write(limits) }

  package func run(_ bytes: Span<UInt8>) throws(BackdropError) -> Image { try WebP.decode(bytes, limits: limits) }

  package func accepts(_ answer: Image, byteCount: Int) -> Bool { answer.format == .rgba8 }
}

/// Decodes an AVIF file.
package struct AVIFDecoding: IsolatedFunction {
  package static let name = "avif"
  private let mapsTones: Bool
  package let limits: ImageLimits

  init(mapsTones: Bool, limits: ImageLimits) { (self.mapsTones, self.limits) = (mapsTones, limits) }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (mapsTones, limits) = (try wire.read(), try wire.read())
  }
  package func write(to wire: inout WireWriter) { wire.write(mapsTones, limits) }

  package func run(_ bytes: Span<UInt8>) throws(BackdropError) -> Image {
    try AVIF.decode(bytes, mapsTones: mapsTones, limits: limits)
  }

  package func accepts(_ answer: Image, byteCount: Int) -> Bool { [.gray8, .rgba8].contains(answer.format) }
}

/// Reads an AVIF file's header.
package struct AVIFHeading: IsolatedFunction {
  package static let name = "avif header"
  package let limits: ImageLimits

  init(limits: ImageLimits) { self.limits = limits }

  package init(from wire: inout WireReader) throws(BackdropError) { limits = try wire.read() }
  package func write(to wire: inout WireWriter) { wire.write(limits) }

  package func run(_ bytes: Span<UInt8>) throws(BackdropError) -> AVIF.Header {
    try AVIF.header(of: bytes, limits: limits)
  }

  package func accepts(_ answer: AVIF.Header, byteCount: Int) -> Bool {
    do throws(BackdropError) { try limits.check(width: answer.width, height: answer.height) } catch { return false }
    return answer.frameCount > 0
  }
}

extension AVIF.Header: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self.init(
      width: try wire.read(), height: try wire.read(), orientation: try wire.read(), colorSpace: try wire.read(),
      metadata: try wire.read(), frameCount: try wire.read())
  }
  package func write(to wire: inout WireWriter) {
    wire.write(width, height, orientation, colorSpace, metadata, frameCount)
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
