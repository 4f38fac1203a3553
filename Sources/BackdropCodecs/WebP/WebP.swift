import BackdropImaging
import CWebP

/// Reads and writes WebP files (RFC 9649) through libwebp. Of an animation it reads the first picture.
package enum WebP: PictureCodec {
  package static let name = "webp"
  package static let title = "WebP"
  package static let holdsAlpha = true
  package static let compression = PictureCompression.either
  static let largestSide = 16_383

  /// Measured with libwebp 1.2.4.
  package static func jobBytesPerPixel(isLossless: Bool) -> Int { isLossless ? 30 : 18 }

  package static func matches(_ head: Span<UInt8>) -> Bool {
    FileSignature.Mark.at(0, "RIFF").isFound(in: head) && FileSignature.Mark.at(8, "WEBP").isFound(in: head)
  }

  package static func header(of bytes: Span<UInt8>, limits: ImageLimits) throws(BackdropError) -> PictureHeader {
    try bytes.withUnsafeBytes { buffer throws(BackdropError) in
      let structure = try WebPStructure(buffer, limits: limits)
      return PictureHeader(
        width: structure.width, height: structure.height, colorSpace: structure.colorSpace(buffer),
        metadata: PictureMetadata(
          exif: structure.exif.flatMap { PictureMetadata.tiff(Array(buffer[$0])) },
          xmp: structure.xmp.map { Array(buffer[$0]) }), frameCount: structure.frameCount)
    }
  }

  /// Decodes a file to `rgba8` without turning it. ``/BackdropImaging/Image/alpha`` is `straight` if it has alpha, and
  /// ``/BackdropImaging/Image/orientation`` EXIF's orientation. Its colours are those of its ICC profile; sRGB without
  /// one.
  package static func pixels(
    of bytes: Span<UInt8>, as wanted: PixelFormat?, mapsTones: Bool, limits: ImageLimits
  ) throws(BackdropError) -> Image {
    try bytes.withUnsafeBytes { buffer throws(BackdropError) in
      try decode(buffer, try WebPStructure(buffer, limits: limits))
    }
  }

  private static func decode(
    _ buffer: UnsafeRawBufferPointer, _ structure: WebPStructure
  ) throws(BackdropError) -> Image {
    let coded = UnsafeRawBufferPointer(rebasing: buffer[structure.frame])
    let start = coded.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var features = WebPBitstreamFeatures()
    guard WebPGetFeatures(start, coded.count, &features) == VP8_STATUS_OK, features.has_animation == 0,
      (Int(features.width), Int(features.height)) == (structure.frameWidth, structure.frameHeight)
    else { throw WebPStructure.damaged("the pixels have no header") }
    let isWhole = structure.frameWidth == structure.width && structure.frameHeight == structure.height
    var image = Image(
      .rgba8, width: structure.width, height: structure.height, color: .jpeg.with(structure.colorSpace(buffer)),
      alpha: features.has_alpha == 0 && isWhole ? .opaque : .straight)
    let pitch = image.layout(0).bytesPerRow
    let decoded = image.withUnsafeMutableBytes { base in
      if !isWhole {
        UnsafeMutableRawBufferPointer(start: base, count: (structure.height - 1) * pitch + 4 * structure.width)
          .initializeMemory(as: UInt8.self, repeating: 0)
      }
      let corner = base + structure.frameY * pitch + 4 * structure.frameX
      return WebPDecodeRGBAInto(
        start, coded.count, corner.assumingMemoryBound(to: UInt8.self),
        (structure.frameHeight - 1) * pitch + 4 * structure.frameWidth, Int32(pitch))
    }
    guard decoded != nil else { throw WebPStructure.damaged("its pixels cannot be decoded") }
    if let exif = structure.exif.flatMap({ PictureMetadata.tiff(Array(buffer[$0])) }) {
      image.orientation = exif.withUnsafeBytes { EXIF.orientation(inTIFF: $0) } ?? .up
    }
    return image
  }
}
