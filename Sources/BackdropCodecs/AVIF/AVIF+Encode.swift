import BackdropImaging
import CAVIF

extension AVIF {
  /// The longest side for writing: 16 tiles of 1024 pixels (``tiles(along:)``).
  static let largestSide = 16_384

  /// Encodes an image as an AVIF file.
  ///
  /// Grey stays grey. Colour has 8 bits, as Y′CbCr with half the colour detail in each direction like JPEG, or as lossless R′G′B′. Alpha is
  /// kept exactly if ``/BackdropImaging/Image/alpha`` is not `opaque`. The picture is turned upright. Colours keep their space: the file
  /// carries its code points if it has them, else the profile of ``/BackdropImaging/ColorDescription/space``.
  ///
  /// - Parameters:
  ///   - quality: 1…100, on JPEG's scale: a file looks about like a JPEG of that number; ignored if lossless.
  ///   - isFast: whether to trade file size for speed, for series of frames.
  /// - Throws: `wrongArgument` for another quality, `overLimit` for a side above 16,384, `unsupported` without an AV1 encoder.
  package static func encode(
    _ image: Image, quality: Int = Picture.standardQuality, isLossless: Bool = false, isFast: Bool = false,
    metadata: PictureMetadata = PictureMetadata()
  ) throws(BackdropError) -> [UInt8] {
    try check(image, quality: quality, largestSide: largestSide, as: "an AVIF")
    let isGray = [.gray8, .gray16, .grayFloat].contains(image.format)
    let kind = isGray ? AVIF_PIXEL_FORMAT_YUV400 : isLossless ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420
    let upright = isGray ? image.upright().converted(to: .gray8) : image.straightRGBA()
    guard let coded = avifImageCreate(UInt32(upright.width), UInt32(upright.height), 8, kind) else { throw outOfMemory }
    defer { avifImageDestroy(coded) }
    coded.pointee.yuvRange = AVIF_RANGE_FULL
    mark(coded, upright.color.space, isGray: isGray, isLossless: isLossless)
    // libavif copies both.
    if let exif = metadata.exif.flatMap(PictureMetadata.tiff) { bd_avif_set_exif(coded, exif, exif.count) }
    if let xmp = metadata.xmp { bd_avif_set_xmp(coded, xmp, xmp.count) }
    return try upright.withUnsafeBytes { base throws(BackdropError) in
      let pitch = UInt32(upright.layout(0).bytesPerRow)
      // libavif uses the same structures for decoding, so it wants a mutable pointer, but encoding writes nothing.
      let start = UnsafeMutablePointer(mutating: base.assumingMemoryBound(to: UInt8.self))
      if isGray {
        // The plane belongs to the picture, so libavif must not free it.
        (coded.pointee.yuvPlanes.0, coded.pointee.yuvRowBytes.0) = (start, pitch)
        coded.pointee.imageOwnsYUVPlanes = 0
      } else {
        var pixels = avifRGBImage()
        avifRGBImageSetDefaults(&pixels, coded)
        (pixels.depth, pixels.format, pixels.pixels, pixels.rowBytes) = (8, AVIF_RGB_FORMAT_RGBA, start, pitch)
        pixels.ignoreAlpha = upright.alpha == .opaque ? 1 : 0
        try check(avifImageRGBToYUV(coded, &pixels))
      }
      return try encode(coded, quality: quality, isLossless: isLossless, isFast: isFast)
    }
  }

  /// Sets the code points or the profile of the colours.
  private static func mark(
    _ image: UnsafeMutablePointer<avifImage>, _ space: ColorSpace, isGray: Bool, isLossless: Bool
  ) {
    image.pointee.matrixCoefficients = avifMatrixCoefficients(
      isLossless && !isGray ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601)
    let codes = space.profile == nil || space.transfer.isHDR ? space.codePoints : nil
    let profile = codes == nil ? space.profileBytes(forGray: isGray) : nil
    image.pointee.colorPrimaries = avifColorPrimaries(codes?.primaries ?? (profile == nil ? 1 : 2))
    image.pointee.transferCharacteristics = avifTransferCharacteristics(codes?.transfer ?? (profile == nil ? 13 : 2))
    if let profile { bd_avif_set_icc(image, profile, profile.count) }
  }

  private static func encode(
    _ image: UnsafeMutablePointer<avifImage>, quality: Int, isLossless: Bool, isFast: Bool
  ) throws(BackdropError) -> [UInt8] {
    guard let encoder = avifEncoderCreate() else { throw outOfMemory }
    defer { avifEncoderDestroy(encoder) }
    encoder.pointee.maxThreads = Int32(min(WorkerPool.processorCount, 16))
    encoder.pointee.speed = isFast ? 9 : 7
    let quantizer = isLossless ? 0 : Self.quantizer(forQuality: quality)
    (encoder.pointee.minQuantizer, encoder.pointee.maxQuantizer) = (Int32(quantizer), Int32(quantizer))
    (encoder.pointee.minQuantizerAlpha, encoder.pointee.maxQuantizerAlpha) = (0, 0)
    (encoder.pointee.tileColsLog2, encoder.pointee.tileRowsLog2) = (
      tiles(along: Int(image.pointee.width)), tiles(along: Int(image.pointee.height))
    )
    var output = avifRWData()
    defer { avifRWDataFree(&output) }
    try check(avifEncoderWrite(encoder, image, &output))
    return Array(UnsafeBufferPointer(start: output.data, count: output.size))
  }

  /// The logarithm of the number of tiles along a side. libaom 3.6 writes some tiles of 2 megapixels that dav1d, libgav1 and others reject,
  /// so tiles have at most one megapixel. This also allows parallel coding.
  private static func tiles(along side: Int) -> Int32 {
    var result: Int32 = 0
    while result < 6 && side >> Int(result) > 1024 { result += 1 }
    return result
  }

  /// AV1's quantizer, 0…63, that gives about the same error (PSNR) as this quality of a 4:2:0 JPEG. The numbers are means of measurements
  /// on a drawn picture and two photos, with libjpeg-turbo 2.1 and libaom 3.6. Files are half as large.
  static func quantizer(forQuality quality: Int) -> Int {
    let measured = [(1, 63), (10, 52), (30, 37), (50, 31), (75, 23), (85, 17), (92, 10), (95, 6), (100, 1)]
    guard let next = measured.firstIndex(where: { $0.0 >= quality }), next > 0 else { return measured[0].1 }
    let ((low, first), (high, last)) = (measured[next - 1], measured[next])
    return first + ((last - first) * (quality - low)) / (high - low)
  }

  private static func check(_ result: avifResult) throws(BackdropError) {
    switch result {
    case AVIF_RESULT_OK: return
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
      throw BackdropError(.unsupported, "libavif has no AV1 encoder", hint: "install libaom, or write a .webp file")
    case AVIF_RESULT_OUT_OF_MEMORY: throw outOfMemory
    default: throw BackdropError(.system, "libavif could not encode (\(String(cString: avifResultToString(result))))")
    }
  }
}
