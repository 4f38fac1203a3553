import BackdropImaging
import CTurboJPEG

/// Reads and writes JPEG files (ITU-T T.81, JFIF) through libjpeg-turbo.
package enum JPEG {
  /// Decodes a whole JPEG file, baseline or progressive.
  ///
  /// Without a `format`, grey files become `gray8` and all others `rgba8`. With `i420`, a 4:2:0 file keeps its own samples; all Y′CbCr
  /// results have matrix and range of ``/BackdropImaging/ColorDescription/jpeg``. Colours are not converted:
  /// ``/BackdropImaging/ColorDescription/space`` is that of the file's ICC profile, and sRGB without one. CMYK files become sRGB by their
  /// profile, and by multiplication without one. ``/BackdropImaging/Image/orientation`` gets the EXIF orientation, which is not applied.
  ///
  /// - Throws: `overLimit`, before allocating memory, if the header gives a size beyond `limits` or the file has many scans (a small
  ///   progressive file can decode a large picture hundreds of times); `badData` for a truncated or damaged file, never returning a partial
  ///   picture; `unsupported` for 12-bit and lossless files.
  package static func decode(
    _ bytes: [UInt8], as format: PixelFormat? = nil, limits: ImageLimits = .standard
  ) throws(BackdropError) -> Image {
    try PictureFormat.jpeg.decode(bytes.span, as: format, limits: limits)
  }

  package static func pixels(
    of bytes: Span<UInt8>, as wanted: PixelFormat?, mapsTones: Bool, limits: ImageLimits
  ) throws(BackdropError) -> Image {
    try bytes.withUnsafeBytes { buffer throws(BackdropError) in
      let structure = try JPEGStructure(buffer, limits: limits)
      guard structure.precision == 8 else {
        throw BackdropError(
          .unsupported, "Backdrop does not read JPEGs with \(structure.precision)-bit samples",
          hint: "convert it to an 8-bit JPEG or to PNG first")
      }
      guard let handle = tjInitDecompress() else { throw BackdropError(.system, "libjpeg-turbo could not start") }
      defer { tjDestroy(handle) }
      var image = try Decoder(handle: handle, bytes: buffer, structure: structure).decode(as: wanted)
      image.orientation = EXIF.orientation(of: structure, in: buffer)
      if let space = structure.colorSpace(in: buffer) { image.color.space = space }
      return image
    }
  }
}

private struct Decoder {
  let handle: tjhandle
  let bytes: UnsafeRawBufferPointer
  let structure: JPEGStructure

  // `JPEGStructure` has limited the number of scans already.
  private var flags: Int32 { TJFLAG_ACCURATEDCT }
  private var source: UnsafePointer<UInt8>? { bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) }
  private var sourceCount: UInt { UInt(bytes.count) }

  func decode(as wanted: PixelFormat?) throws(BackdropError) -> Image {
    var width: Int32 = 0
    var height: Int32 = 0
    var subsampling: Int32 = -1
    var space: Int32 = -1
    let status = tjDecompressHeader3(handle, source, sourceCount, &width, &height, &subsampling, &space)
    // An uncommon subsampling fails here but can still be decoded to RGB.
    if status != 0 && space < 0 { try fail() }
    guard Int(width) == structure.width && Int(height) == structure.height else {
      throw BackdropError(damaged: "the JPEG is damaged (two sizes)")
    }
    let isGrey = space == Int32(TJCS_GRAY.rawValue)
    let isInk = space == Int32(TJCS_CMYK.rawValue) || space == Int32(TJCS_YCCK.rawValue)
    let isHalf = space == Int32(TJCS_YCbCr.rawValue) && subsampling == Int32(TJSAMP_420.rawValue)
    let wanted = wanted ?? (isGrey ? .gray8 : .rgba8)

    if isInk { return try ink().converted(to: wanted) }
    switch wanted {
    case .i420 where isHalf: return try planes()
    case .nv12 where isHalf: return try planes().converted(to: .nv12)
    case .bgra8: return try pixels(.bgra8, TJPF_BGRA)
    case .rgba8: return try pixels(.rgba8, TJPF_RGBA)
    case .rgb8: return try pixels(.rgb8, TJPF_RGB)
    case .gray8, .gray16, .grayFloat:
      // An RGB-coded file has no luma.
      guard isGrey || space == Int32(TJCS_YCbCr.rawValue) else {
        return try pixels(.rgba8, TJPF_RGBA).converted(to: wanted)
      }
      return try pixels(.gray8, TJPF_GRAY).converted(to: wanted)
    case .i420, .nv12, .yuyv:
      if isGrey { return try pixels(.gray8, TJPF_GRAY).converted(to: wanted) }
      return try pixels(.rgba8, TJPF_RGBA).converted(to: wanted)
    }
  }

  private func pixels(_ format: PixelFormat, _ order: TJPF) throws(BackdropError) -> Image {
    var image = Image(format, width: structure.width, height: structure.height, color: .jpeg)
    let pitch = Int32(image.layout(0).bytesPerRow)
    let status = image.withUnsafeMutableBytes {
      tjDecompress2(
        handle, source, sourceCount, $0.assumingMemoryBound(to: UInt8.self), Int32(structure.width), pitch,
        Int32(structure.height), order.rawValue, flags)
    }
    try check(status)
    return image
  }

  private func planes() throws(BackdropError) -> Image {
    // TurboJPEG rounds the luma plane up to whole chroma samples; the row padding holds the additional column, but an additional row needs
    // space.
    let isOdd = !structure.height.isMultiple(of: 2)
    var image = Image(.i420, width: structure.width, height: structure.height + (isOdd ? 1 : 0), color: .jpeg)
    let strides = (0..<3).map { Int32(image.layout($0).bytesPerRow) }
    let offsets = (0..<3).map { image.layout($0).offset }
    let status = image.withUnsafeMutableBytes { luma in
      let base = (luma - offsets[0]).assumingMemoryBound(to: UInt8.self)
      var planes: [UnsafeMutablePointer<UInt8>?] = offsets.map { base + $0 }
      var strides = strides
      return tjDecompressToYUVPlanes(
        handle, source, sourceCount, &planes, Int32(structure.width), &strides, Int32(structure.height), flags)
    }
    try check(status)
    return isOdd ? try image.cropped(x: 0, y: 0, width: structure.width, height: structure.height) : image
  }

  private func ink() throws(BackdropError) -> Image {
    var image = try pixels(.rgba8, TJPF_CMYK)
    // 255 means no ink, as Photoshop stores it. T.81 and JFIF leave this open, and Adobe's marker only tells whether the first three
    // channels are Y′CbCr: Pillow 13, OpenCV 5, ImageMagick 6 and FFmpeg 5.1 read files with and without the marker alike.
    let conversion = InkConversion(profile: structure.profile(in: bytes), isInverted: true)
    for y in 0..<image.height {
      var row = image.mutableRow(y)
      row.withUnsafeMutableBufferPointer { conversion.convert($0) }
    }
    return image
  }

  private func check(_ status: Int32) throws(BackdropError) {
    guard status != 0 else { return }
    if tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue) {
      // These warnings do not affect pixels. Any other one means that libjpeg-turbo made up pixels.
      let harmless = [
        "extraneous bytes", "Invalid SOS parameters", "Unknown Adobe color transform", "unknown JFIF revision",
      ]
      let message = message
      if harmless.contains(where: message.contains) { return }
    }
    try fail()
  }

  private var message: String { String(cString: tjGetErrorStr2(handle)) }

  private func fail() throws(BackdropError) {
    let message = message
    if message.contains("remature end") || message.contains("Not enough image data") {
      throw BackdropError(damaged: "the JPEG ends early")
    }
    if message.contains("Unsupported") || message.contains("not supported") || message.contains("not implemented") {
      throw BackdropError(
        .unsupported, "libjpeg-turbo does not read this kind of JPEG (\(message))",
        hint: "convert it to a baseline JPEG or to PNG first")
    }
    throw BackdropError(damaged: "the JPEG is damaged (\(message))")
  }
}
