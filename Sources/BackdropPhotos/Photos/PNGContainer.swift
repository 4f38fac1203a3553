import BackdropCodecs
import BackdropImaging

/// PNG pictures with their colour profile and metadata.
struct PNGContainer: WritablePhotoContainer {
  var name: String { "png" }
  var endings: [String] { PictureKind.png.endings }
  var holdsDepth: Bool { false }
  var holdsAlpha: Bool { true }
  var canBeLossless: Bool { true }

  func matches(_ head: Span<UInt8>) -> Bool { FileContent(head) == .picture(.png) }

  func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    let picture = try PNGPicture(bytes, limits: limits)
    var photo = DepthPhoto(
      picture: picture, metadata: PhotoMetadata(PNG.metadata(of: bytes.span)), container: self)
    photo.orientation = photo.metadata.exifOrientation ?? .up
    return photo
  }

  func encode(_ photo: DepthPhoto, options: PhotoFileOptions) throws(BackdropError) -> [UInt8] { try photo.png() }

  func omissions(of photo: DepthPhoto) -> [String] { photo.metadata.fitted(to: .png).remarks }
}

extension DepthPhoto {
  /// The colour picture as a PNG file, upright, with its colour profile and metadata. A PNG cannot hold depth and mattes.
  ///
  /// - Throws: errors of decoding and encoding.
  public func png() throws(BackdropError) -> [UInt8] {
    try PNG.encode(image(), metadata: uprightMetadata(for: .png))
  }
}
