import BackdropImaging
import CAVIF

/// Reads and writes AVIF files (AV1 Image File Format) through libavif. Of a sequence it reads the first picture.
package enum AVIF: PictureCodec {
  package static let name = "avif"
  package static let holdsAlpha = true
  package static let compression = PictureCompression.either

  /// Measured with libaom 3.6.
  package static func jobBytesPerPixel(isLossless: Bool) -> Int { isLossless ? 36 : 30 }

  package static func matches(_ head: Span<UInt8>) -> Bool { FileContent.brands(head) == .picture(.avif) }

  package static func header(of bytes: Span<UInt8>, limits: ImageLimits) throws(BackdropError) -> PictureHeader {
    try withDecoder(bytes, limits) { decoder throws(BackdropError) in
      let image = decoder.pointee.image!
      // EXIF's orientation is ignored (ISO/IEC 23008-12, A.2.1).
      return PictureHeader(
        width: Int(image.pointee.width), height: Int(image.pointee.height), orientation: image.orientation,
        colorSpace: image.colorSpace,
        metadata: PictureMetadata(
          exif: image.pointee.exif.copy.flatMap(PictureMetadata.tiff), xmp: image.pointee.xmp.copy),
        frameCount: max(1, Int(decoder.pointee.imageCount)))
    }
  }

  /// Decodes a file without turning it: grey without alpha to `gray8`, everything else to `rgba8`; more than 8 bits are rounded.
  /// ``/BackdropImaging/Image/alpha`` is `straight` if it has alpha, and ``/BackdropImaging/Image/orientation`` the orientation of its
  /// marks. Its colours are those of its ICC profile, or of its code points, including a high dynamic range.
  package static func pixels(
    of bytes: Span<UInt8>, as wanted: PixelFormat?, mapsTones: Bool, limits: ImageLimits
  ) throws(BackdropError) -> Image {
    try withDecoder(bytes, limits) { decoder throws(BackdropError) in
      // Coded pictures may be larger than the boxes declare, and libavif would decode them at their true size. No tile of a grid is larger
      // than the whole picture; twice its size leaves space for padding at the edges.
      if let image = decoder.pointee.image {
        let pixels = 2 * Int(image.pointee.width) * Int(image.pointee.height) + 65_536
        decoder.pointee.imageSizeLimit = min(decoder.pointee.imageSizeLimit, UInt32(clamping: pixels))
      }
      try check(avifDecoderNextImage(decoder), decoder)
      let source = decoder.pointee.image!
      let (width, height) = (Int(source.pointee.width), Int(source.pointee.height))
      try limits.check(width: width, height: height)
      let hasAlpha = source.pointee.alphaPlane != nil
      let isGray = source.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400 && !hasAlpha
      var image = Image(
        .rgba8, width: width, height: height, color: .jpeg.with(source.colorSpace),
        alpha: hasAlpha ? .straight : .opaque, orientation: source.orientation)
      let pitch = image.layout(0).bytesPerRow
      try check(image.withUnsafeMutableBytes { convert(source, depth: 8, to: $0, rowBytes: pitch) }, decoder)
      if mapsTones, !isGray, let tones = ToneMapping(from: source.colorSpace) {
        return image.with(tones.image(pixels: try deep(source, decoder), channels: 4))
      }
      return isGray ? image.converted(to: .gray8) : image
    }
  }

  /// Red, green, blue and alpha, interleaved, with 16 bits each.
  private static func deep(
    _ source: UnsafeMutablePointer<avifImage>, _ decoder: UnsafeMutablePointer<avifDecoder>
  ) throws(BackdropError) -> Plane<UInt16> {
    var plane = Plane<UInt16>(
      uninitializedWidth: 4 * Int(source.pointee.width), height: Int(source.pointee.height))
    let pitch = 2 * plane.stride
    try check(plane.withUnsafeMutablePointer { convert(source, depth: 16, to: $0, rowBytes: pitch) }, decoder)
    return plane
  }

  /// Converts to R′G′B′A with straight alpha.
  private static func convert(
    _ source: UnsafeMutablePointer<avifImage>, depth: UInt32, to pixels: UnsafeMutableRawPointer, rowBytes: Int
  ) -> avifResult {
    var target = avifRGBImage()
    avifRGBImageSetDefaults(&target, source)
    (target.depth, target.format, target.rowBytes) = (depth, AVIF_RGB_FORMAT_RGBA, UInt32(rowBytes))
    target.pixels = pixels.assumingMemoryBound(to: UInt8.self)
    return avifImageYUVToRGB(source, &target)
  }

  /// Opens a file and reads its boxes.
  private static func withDecoder<Result>(
    _ bytes: Span<UInt8>, _ limits: ImageLimits,
    _ body: (UnsafeMutablePointer<avifDecoder>) throws(BackdropError) -> Result
  ) throws(BackdropError) -> Result {
    guard let decoder = avifDecoderCreate() else { throw outOfMemory }
    defer { avifDecoderDestroy(decoder) }
    decoder.pointee.maxThreads = Int32(WorkerPool.processorCount)
    // Many programs leave out boxes that the standard requires.
    decoder.pointee.strictFlags = avifStrictFlags(AVIF_STRICT_DISABLED.rawValue)
    decoder.pointee.imageSizeLimit = UInt32(min(limits.pixels, 16_384 * 16_384))
    decoder.pointee.imageDimensionLimit = UInt32(clamping: limits.side)
    return try bytes.withUnsafeBytes { buffer throws(BackdropError) in
      let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      try check(avifDecoderSetIOMemory(decoder, start, buffer.count), decoder)
      try check(avifDecoderParse(decoder), decoder)
      guard let image = decoder.pointee.image else { throw BackdropError(.badData, "the AVIF holds no picture") }
      try limits.check(width: Int(image.pointee.width), height: Int(image.pointee.height))
      return try body(decoder)
    }
  }

  static var outOfMemory: BackdropError { BackdropError(.system, "there is not enough memory for an AVIF picture") }

  private static func check(_ result: avifResult, _ decoder: UnsafeMutablePointer<avifDecoder>) throws(BackdropError) {
    switch result {
    case AVIF_RESULT_OK: return
    case AVIF_RESULT_TRUNCATED_DATA, AVIF_RESULT_NO_CONTENT: throw BackdropError(damaged: "the AVIF ends early")
    case AVIF_RESULT_NO_CODEC_AVAILABLE, AVIF_RESULT_UNSUPPORTED_DEPTH, AVIF_RESULT_NOT_IMPLEMENTED:
      throw BackdropError(
        .unsupported, "libavif does not read this kind of AVIF (\(String(cString: avifResultToString(result))))",
        hint: "convert it to PNG first")
    case AVIF_RESULT_OUT_OF_MEMORY: throw outOfMemory
    default:
      let detail = withUnsafeBytes(of: decoder.pointee.diag.error) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      // The caller sets libavif's limits, so this is not damage.
      if detail.contains("too large") || detail.contains("limit") {
        throw BackdropError(.overLimit, "a picture in the AVIF file is over the limit (\(detail))", hint: .allowPixels)
      }
      let reason = String(cString: avifResultToString(result)) + (detail.isEmpty ? "" : "; \(detail)")
      throw BackdropError(damaged: "the AVIF is damaged (\(reason))")
    }
  }
}

extension avifRWData {
  /// The bytes; `nil` if there are none.
  fileprivate var copy: [UInt8]? { size > 0 ? Array(UnsafeBufferPointer(start: data, count: size)) : nil }
}

extension UnsafeMutablePointer where Pointee == avifImage {
  fileprivate var colorSpace: ColorSpace {
    if let profile = pointee.icc.copy {
      return ColorSpace(icc: profile, forGray: pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400)
    }
    return ColorSpace(primaries: Int(pointee.colorPrimaries), transfer: Int(pointee.transferCharacteristics))
  }

  /// `irot` turns counter-clockwise, then `imir` swaps sides (ISO/IEC 23000-22, 7.3.6.7).
  fileprivate var orientation: Orientation {
    let marks = pointee.transformFlags
    let turn = marks & AVIF_TRANSFORM_IROT.rawValue != 0 ? Int(pointee.irot.angle) & 3 : 0
    guard marks & AVIF_TRANSFORM_IMIR.rawValue != 0 else { return Orientation(rawValue: [1, 8, 3, 6][turn]) ?? .up }
    let swapsLeftAndRight = bd_avif_mirror(self) == 1
    return Orientation(rawValue: swapsLeftAndRight ? [2, 7, 4, 5][turn] : [4, 5, 2, 7][turn]) ?? .up
  }
}
