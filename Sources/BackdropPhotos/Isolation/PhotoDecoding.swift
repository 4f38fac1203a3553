import BackdropImaging

package struct HEICDecoding: IsolatedFunction {
  package static let name = "heic"
  package static let library = DecoderLibrary.ffmpeg
  let item: Int
  /// How to turn the main picture upright.
  let orientation: Orientation
  let isDepth: Bool
  let format: PixelFormat?
  package let limits: ImageLimits

  package func write(to wire: inout WireWriter) { wire.write(item, orientation, isDepth, format, limits) }

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> Image {
    let file = try HEICFile(bytes.withUnsafeBytes { Array($0) }, limits: HEICLimits(picture: limits))
    guard let item = file.item(item) else {
      throw BackdropError(.badData, "the file has no picture item \(item)")
    }
    return try HEICItemPicture(HEICItemPicture.Source(file), item, orientation: orientation, isDepth: isDepth)
      .decodedHere(as: format)
  }

  package func accepts(_ answer: Image, byteCount: Int) -> Bool { format == nil || answer.format == format }
}

extension HEICDecoding {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self.init(
      item: try wire.read(), orientation: try wire.read(), isDepth: try wire.read(), format: try wire.read(),
      limits: try wire.read())
  }
}

package struct TIFFHeading: IsolatedFunction {
  package static let name = "tiff header"
  package static let library = DecoderLibrary.tiff
  package let limits: ImageLimits

  init(limits: ImageLimits) { self.limits = limits }

  package init(from wire: inout WireReader) throws(BackdropError) { limits = try wire.read() }
  package func write(to wire: inout WireWriter) { wire.write(limits) }

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> TIFFPicture.Heading {
    try TIFFPicture.Heading(of: bytes.withUnsafeBytes { Array($0) }, limits)
  }

  package func accepts(_ answer: TIFFPicture.Heading, byteCount: Int) -> Bool {
    do throws(BackdropError) { try limits.check(width: answer.width, height: answer.height) } catch { return false }
    return (1...64).contains(answer.bits)
  }
}

package struct TIFFDecoding: IsolatedFunction {
  package static let name = "tiff"
  package static let library = DecoderLibrary.tiff
  private let format: PixelFormat?
  package let limits: ImageLimits

  init(format: PixelFormat?, limits: ImageLimits) { (self.format, self.limits) = (format, limits) }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (format, limits) = (try wire.read(), try wire.read())
  }
  package func write(to wire: inout WireWriter) { wire.write(format, limits) }

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> Image {
    try TIFFPicture(bytes.withUnsafeBytes { Array($0) }, limits: limits).decodedHere(as: format)
  }

  package func accepts(_ answer: Image, byteCount: Int) -> Bool { format == nil || answer.format == format }
}

extension TIFFPicture.Heading: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self.init(
      width: try wire.read(), height: try wire.read(), bits: try wire.read(), colorSpace: try wire.read(),
      orientation: try wire.read(), metadata: PhotoMetadata(exif: try wire.read(), xmp: try wire.read()))
  }

  package func write(to wire: inout WireWriter) {
    wire.write(width, height, bits, colorSpace, orientation, metadata.exif, metadata.xmp)
  }
}
