import BackdropCodecs
import BackdropImaging

/// The metadata of a photo besides its pictures, kept unchanged. Properties such as ``shot`` read common parts of it. The picture's colours
/// belong to the picture: `PhotoPicture.colorSpace`.
public struct PhotoMetadata: Sendable, Equatable {
  /// EXIF: a TIFF structure, without JPEG's prefix.
  public var exif: [UInt8]?
  /// The XMP packet of the colour picture.
  public var xmp: [UInt8]?
  /// Photoshop's image resources, including IPTC's texts: consecutive blocks, as in a JPEG file.
  public var imageResources: [UInt8]?
  /// Texts besides EXIF and XMP, in the file's order: comments, and texts of a PNG's keywords.
  package var texts: [PictureText] = []
  /// The print size of the picture, if the file has it besides EXIF.
  public var density: PixelDensity?
  /// The rest of XMP that exceeded one segment of a JPEG file, as a separate packet. Only ``DepthPhoto/replacing(picture:_:)`` sets it: a
  /// photo with its own picture has it in the picture's segments.
  var extendedXMP: [UInt8]?

  /// Makes metadata.
  public init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil) {
    self.exif = exif
    self.xmp = xmp
  }

  init(_ metadata: PictureMetadata) {
    self.init(exif: metadata.exif, xmp: metadata.xmp)
    imageResources = metadata.imageResources.map {
      $0.first == ImageResources.iptcMark ? ImageResources(iptc: $0).encoded : $0
    }
    texts = metadata.texts
    density = metadata.pixelsPerMetre.map(PixelDensity.init)
  }
}
