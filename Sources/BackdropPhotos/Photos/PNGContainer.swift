import BackdropCodecs
import BackdropImaging

/// PNG pictures with their colour profile and EXIF.
struct PNGContainer: WritablePhotoContainer {
  var name: String { "png" }
  var endings: [String] { PictureKind.png.endings }
  var holdsDepth: Bool { false }
  var holdsAlpha: Bool { true }
  var canBeLossless: Bool { true }

  func matches(_ head: Span<UInt8>) -> Bool { FileContent(head) == .picture(.png) }

  /// The pixels are upright: EXIF's orientation is not heeded in PNG files.
  func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    let picture = try PNGPicture(bytes, limits: limits)
    return DepthPhoto(picture: picture, metadata: PhotoMetadata(exif: try PNG.exif(of: bytes)), container: self)
  }

  func encode(_ photo: DepthPhoto, options: JPEGPhotoOptions) throws(BackdropError) -> [UInt8] { try photo.png() }
}

extension DepthPhoto {
  /// The colour picture as a PNG file, upright, with its colour profile and EXIF; depth and mattes have no place in one.
  ///
  /// - Throws: what decoding and encoding throw.
  public func png() throws(BackdropError) -> [UInt8] {
    var metadata = self.metadata
    metadata.setEXIFOrientation(.up)
    return try PNG.encode(image(), exif: metadata.exif)
  }
}
