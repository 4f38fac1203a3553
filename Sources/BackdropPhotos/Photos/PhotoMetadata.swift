import BackdropImaging

/// What a photo says about itself beside its pictures: kept as it is, and read for what people ask for. Which colours the
/// picture is belongs to the picture: ``PhotoPicture/colorSpace``.
public struct PhotoMetadata: Sendable, Equatable {
  /// EXIF: a TIFF structure, without the mark that JPEG files put before it.
  public var exif: [UInt8]?
  /// The XMP packet of the colour picture.
  public var xmp: [UInt8]?

  /// Makes metadata.
  public init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil) {
    self.exif = exif
    self.xmp = xmp
  }
}
