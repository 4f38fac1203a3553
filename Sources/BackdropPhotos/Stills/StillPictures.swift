import BackdropCodecs
import BackdropImaging

/// A WebP file as a picture.
public struct WebPPicture: PhotoPicture {
  /// The whole file.
  public let bytes: [UInt8]
  /// The contents of the file, except the pixels.
  let header: WebP.Header

  /// Reads everything except the pixels.
  ///
  /// - Throws: `badData` if it is not a WebP, or truncated; `overLimit` for a size beyond `limits`.
  public init(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(BackdropError) {
    header = try WebP.header(of: bytes.span, limits: limits)
    self.bytes = bytes
  }

  /// Pixels in a row.
  public var width: Int { header.width }
  /// Rows.
  public var height: Int { header.height }
  /// Its colour space, by its profile.
  public var colorSpace: ColorSpace { header.colorSpace }

  /// The pixels; each call decodes them.
  ///
  /// - Throws: `badData` if they are damaged.
  public func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    var image = try WebP.decode(bytes.span)
    image.orientation = .up
    return format.map { image.converted(to: $0) } ?? image
  }
}

/// An AVIF file as a picture.
public struct AVIFPicture: PhotoPicture {
  /// The whole file.
  public let bytes: [UInt8]
  /// The contents of the file, except the pixels.
  let header: AVIF.Header

  /// Reads everything except the pixels.
  ///
  /// - Throws: `badData` if it is not an AVIF, or truncated; `overLimit` for a size beyond `limits`.
  public init(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(BackdropError) {
    header = try AVIF.header(of: bytes.span, limits: limits)
    self.bytes = bytes
  }

  /// Pixels in a row, as stored.
  public var width: Int { header.width }
  /// Rows, as stored.
  public var height: Int { header.height }
  /// Its colour space, by its profile or its code points.
  public var colorSpace: ColorSpace { header.colorSpace }

  /// The pixels; each call decodes them.
  ///
  /// - Throws: `badData` if they are damaged.
  public func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    var image = try AVIF.decode(bytes.span, mapsTones: true)
    image.orientation = .up
    return format.map { image.converted(to: $0) } ?? image
  }
}

/// WebP pictures with their colour profile, EXIF and XMP.
struct WebPContainer: WritablePhotoContainer {
  var name: String { PictureKind.webp.rawValue }
  var title: String { PictureKind.webp.title }
  var endings: [String] { PictureKind.webp.endings }
  var holdsDepth: Bool { false }
  var holdsAlpha: Bool { true }
  var canBeLossless: Bool { true }

  func matches(_ head: Span<UInt8>) -> Bool { FileContent(head) == .picture(.webp) }

  func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    let picture = try WebPPicture(bytes, limits: limits)
    let metadata = picture.header.metadata
    var photo = DepthPhoto(
      picture: picture, metadata: PhotoMetadata(metadata), container: self)
    photo.orientation = photo.metadata.exifOrientation ?? .up
    photo.frameCount = picture.header.frameCount
    return photo
  }

  func encode(_ photo: DepthPhoto, options: PhotoFileOptions) throws(BackdropError) -> [UInt8] {
    try WebP.encode(
      photo.image(), quality: options.quality, isLossless: options.isLossless,
      metadata: photo.uprightMetadata(for: .boxes))
  }

  func omissions(of photo: DepthPhoto) -> [String] { photo.metadata.fitted(to: .boxes).remarks }
}

/// AVIF pictures with their colours, EXIF and XMP.
struct AVIFContainer: WritablePhotoContainer {
  var name: String { PictureKind.avif.rawValue }
  var endings: [String] { PictureKind.avif.endings }
  var holdsDepth: Bool { false }
  var holdsAlpha: Bool { true }
  var canBeLossless: Bool { true }

  func matches(_ head: Span<UInt8>) -> Bool { FileContent(head) == .picture(.avif) }

  func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    let picture = try AVIFPicture(bytes, limits: limits)
    let metadata = picture.header.metadata
    var photo = DepthPhoto(
      picture: picture, orientation: picture.header.orientation,
      metadata: PhotoMetadata(metadata), container: self)
    photo.frameCount = picture.header.frameCount
    return photo
  }

  func encode(_ photo: DepthPhoto, options: PhotoFileOptions) throws(BackdropError) -> [UInt8] {
    try AVIF.encode(
      photo.image(), quality: options.quality, isLossless: options.isLossless,
      metadata: photo.uprightMetadata(for: .boxes))
  }

  func omissions(of photo: DepthPhoto) -> [String] { photo.metadata.fitted(to: .boxes).remarks }
}
