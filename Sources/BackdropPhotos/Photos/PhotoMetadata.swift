import BackdropCodecs
import BackdropImaging

/// What a photo says about itself beside its pictures: kept as it is, and read for what people ask for. Which colours the
/// picture is belongs to the picture: ``PhotoPicture/colorSpace``.
public struct PhotoMetadata: Sendable, Equatable {
  /// EXIF: a TIFF structure, without the mark that JPEG files put before it.
  public var exif: [UInt8]?
  /// The XMP packet of the colour picture.
  public var xmp: [UInt8]?
  /// Photoshop's image resources, of which IPTC's texts are one: blocks one behind the other, as in a JPEG file.
  public var imageResources: [UInt8]?
  /// Texts beside EXIF and XMP, in the file's order: comments, and what a PNG's keywords say.
  public var texts: [PictureText] = []
  /// How large the picture is to be shown, where the file says so beside EXIF.
  public var density: PixelDensity?
  /// What is left of XMP that was too long for one segment of a JPEG file, a packet of its own. Only ``DepthPhoto/replacing(picture:_:)``
  /// sets it: with its own picture a photo carries that in the picture's segments.
  var extendedXMP: [UInt8]?

  /// Makes metadata.
  public init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil) {
    self.exif = exif
    self.xmp = xmp
  }

  /// The metadata of a picture file.
  init(_ metadata: PictureMetadata) {
    self.init(exif: metadata.exif, xmp: metadata.xmp)
    imageResources = metadata.imageResources.map {
      $0.first == ImageResources.iptcMark ? ImageResources(iptc: $0).encoded : $0
    }
    texts = metadata.texts
    density = metadata.pixelsPerMetre.map(PixelDensity.init)
  }
}
