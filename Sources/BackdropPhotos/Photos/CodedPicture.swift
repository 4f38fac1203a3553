import BackdropCodecs
import BackdropImaging

/// A file of a picture format as a picture, such as a PNG, WebP or AVIF file.
package struct CodedPicture: PhotoPicture {
  package let format: PictureFormat
  package let bytes: [UInt8]
  package let header: PictureHeader
  private let limits: ImageLimits

  /// Reads everything except the pixels.
  package init(_ bytes: [UInt8], _ format: PictureFormat, limits: ImageLimits = .standard) throws(BackdropError) {
    header = try format.header(of: bytes.span, limits: limits)
    (self.bytes, self.format, self.limits) = (bytes, format, limits)
  }

  package var width: Int { header.width }
  package var height: Int { header.height }
  package var colorSpace: ColorSpace { header.colorSpace }
  /// Bits of a stored sample; 8 also for fewer.
  package var bitsPerSample: Int { header.bitsPerSample }

  package func decoded(as wanted: PixelFormat?) throws(BackdropError) -> Image {
    var image = try format.decode(bytes.span, as: wanted, mapsTones: true, limits: limits)
    image.orientation = .up
    return image
  }
}

/// Pictures of a format with their colours and metadata, without depth and mattes.
struct CodedPictureContainer: PictureContainer {
  let format: PictureFormat
  var holdsDepth: Bool { false }

  func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    let picture = try CodedPicture(bytes, format, limits: limits)
    var photo = DepthPhoto(picture: picture, metadata: PhotoMetadata(picture.header.metadata), container: self)
    photo.orientation = picture.header.orientation ?? photo.metadata.exifOrientation ?? .up
    photo.frameCount = picture.header.frameCount
    return photo
  }

  func encode(_ photo: DepthPhoto, options: PhotoFileOptions) throws(BackdropError) -> [UInt8] {
    try format.codec.encode(
      photo.image(), quality: options.quality, isLossless: options.isLossless, isFast: false,
      metadata: photo.uprightMetadata(for: format.codec.metadataFields))
  }
}

extension DepthPhoto {
  /// The colour picture as a PNG file, upright, with its colour profile and metadata. A PNG cannot hold depth and mattes.
  ///
  /// - Throws: errors of decoding and encoding.
  public func png() throws(BackdropError) -> [UInt8] {
    try CodedPictureContainer(format: .png).encode(self, options: PhotoFileOptions())
  }
}
