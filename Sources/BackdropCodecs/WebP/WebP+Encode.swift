import BackdropImaging
import CWebP

extension WebP {
  /// Encodes an image as a WebP file.
  ///
  /// Colour has 8 bits, with alpha if ``/BackdropImaging/Image/alpha`` is not `opaque`; alpha is kept exactly, at any quality. Grey becomes
  /// colour, Y′CbCr formats are converted, and the picture is turned upright. Colours keep their space: the file carries the profile of
  /// ``/BackdropImaging/ColorDescription/space``, and none for sRGB.
  ///
  /// - Parameters:
  ///   - quality: 1…100, on JPEG's scale; ignored if lossless.
  ///   - isLossless: whether to keep every pixel, including those with an alpha of 0.
  ///   - isFast: whether to trade file size for half of the time, for series of frames.
  /// - Throws: `wrongArgument` for another quality, `overLimit` for a side above 16,383.
  package static func encode(
    _ image: Image, quality: Int = Picture.standardQuality, isLossless: Bool = false, isFast: Bool = false,
    metadata: PictureMetadata = PictureMetadata()
  ) throws(BackdropError) -> [UInt8] {
    try check(image, quality: quality, largestSide: largestSide, as: "a WebP")
    let pixels = image.straightRGBA()
    var config = WebPConfig()
    guard WebPConfigInit(&config) != 0 else { throw BackdropError(.system, "libwebp has the wrong version") }
    config.lossless = isLossless ? 1 : 0
    config.exact = config.lossless
    // In lossless files this sets the effort.
    config.quality = isLossless ? (isFast ? 25 : 75) : Float(quality)
    config.method = isFast ? 2 : 4
    config.thread_level = 1
    var file = try encode(pixels, &config)
    if file == nil {
      // The first partition holds at most 512 KB; large pictures of high quality need more.
      config.partition_limit = 100
      file = try encode(pixels, &config)
    }
    guard let file else {
      throw BackdropError(.overLimit, "the picture is too large for a WebP file", hint: "write a PNG")
    }
    return try assembled(file, profile: pixels.color.space.profileBytes(forGray: false) ?? [], metadata)
  }

  /// A file with only pixels; `nil` if they exceed the format's parts.
  private static func encode(_ image: Image, _ config: inout WebPConfig) throws(BackdropError) -> [UInt8]? {
    var picture = WebPPicture()
    guard WebPPictureInit(&picture) != 0 else { throw BackdropError(.system, "libwebp has the wrong version") }
    defer { WebPPictureFree(&picture) }
    (picture.width, picture.height) = (Int32(image.width), Int32(image.height))
    picture.use_argb = config.lossless
    let pitch = Int32(image.layout(0).bytesPerRow)
    let imported = image.withUnsafeBytes { base in
      let start = base.assumingMemoryBound(to: UInt8.self)
      return image.alpha == .opaque
        ? WebPPictureImportRGBX(&picture, start, pitch) : WebPPictureImportRGBA(&picture, start, pitch)
    }
    guard imported != 0 else { throw outOfMemory }
    var result: [UInt8] = []
    let done = withUnsafeMutablePointer(to: &result) { result in
      picture.custom_ptr = UnsafeMutableRawPointer(result)
      picture.writer = { bytes, count, picture in
        guard let bytes, let target = picture?.pointee.custom_ptr else { return 0 }
        // libwebp passes back the pointer that was set above.
        target.assumingMemoryBound(to: [UInt8].self).pointee.append(
          contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        return 1
      }
      return WebPEncode(&config, &picture)
    }
    guard done == 0 else { return result }
    switch picture.error_code {
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW, VP8_ENC_ERROR_PARTITION_OVERFLOW, VP8_ENC_ERROR_FILE_TOO_BIG: return nil
    case VP8_ENC_ERROR_OUT_OF_MEMORY, VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY: throw outOfMemory
    default: throw BackdropError(.system, "libwebp could not encode (error \(picture.error_code.rawValue))")
    }
  }

  private static var outOfMemory: BackdropError {
    BackdropError(.system, "there is not enough memory for a WebP picture")
  }

  /// The file with profile and metadata, in the order required by the specification (section 2.7).
  private static func assembled(
    _ file: [UInt8], profile: [UInt8], _ metadata: PictureMetadata
  ) throws(BackdropError) -> [UInt8] {
    let exif = metadata.exif.flatMap(PictureMetadata.tiff) ?? []
    let xmp = metadata.xmp ?? []
    guard !(profile.isEmpty && exif.isEmpty && xmp.isEmpty) else { return file }
    let structure = try file.span.withUnsafeBytes { bytes throws(BackdropError) in
      try WebPStructure(bytes, limits: .standard)
    }
    let isExtended = file[12..<16].elementsEqual("VP8X".utf8)
    // In a plain lossless file, a bit of the pixels' header marks alpha.
    let hasAlpha = isExtended ? file[20] & 0x10 != 0 : file[15] == UInt8(ascii: "L") && file[24] & 0x10 != 0
    let marks = (profile.isEmpty ? 0 : 0x20) | (hasAlpha ? 0x10 : 0) | (exif.isEmpty ? 0 : 8) | (xmp.isEmpty ? 0 : 4)
    var pixels = Array(file[structure.frame])
    if pixels.count % 2 != 0 { pixels.append(0) }
    var body = Array("WEBP".utf8)
    body += chunk("VP8X", [UInt8(marks), 0, 0, 0] + little(structure.width - 1, 3) + little(structure.height - 1, 3))
    body += chunk("ICCP", profile) + pixels + chunk("EXIF", exif) + chunk("XMP ", xmp)
    return Array("RIFF".utf8) + little(body.count, 4) + body
  }

  static func little(_ value: Int, _ size: Int) -> [UInt8] { (0..<size).map { UInt8(value >> (8 * $0) & 255) } }

  /// A chunk of a file; nothing if it is empty.
  static func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
    bytes.isEmpty ? [] : Array(name.utf8) + little(bytes.count, 4) + bytes + (bytes.count % 2 == 0 ? [] : [0])
  }
}
