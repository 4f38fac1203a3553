package struct PictureMetadata: Sendable, Equatable {
  /// EXIF: a TIFF structure; anything else is left out.
  package var exif: [UInt8]?
  package var xmp: [UInt8]?
  /// Photoshop's image resources, including IPTC's texts; read from PNG files, and not written.
  package var imageResources: [UInt8]?
  package var texts: [PictureText] = []
  /// The horizontal and vertical number of pixels per metre, in PNG files.
  package var pixelsPerMetre: PixelsPerMetre?

  package struct PixelsPerMetre: Sendable, Equatable {
    package var x: UInt32
    package var y: UInt32

    package init(x: UInt32, y: UInt32) { (self.x, self.y) = (x, y) }
  }

  /// The metadata that a format's files hold separately, besides EXIF and XMP.
  package struct Fields: OptionSet, Sendable {
    package let rawValue: Int
    package static let imageResources = Fields(rawValue: 1)
    package static let comments = Fields(rawValue: 2)
    /// Texts of other keywords.
    package static let keywords = Fields(rawValue: 4)
    package static let density = Fields(rawValue: 8)
    package static let extendedXMP = Fields(rawValue: 16)
    /// EXIF is in a segment with limited size.
    package static let shortEXIF = Fields(rawValue: 32)

    package init(rawValue: Int) { self.rawValue = rawValue }
  }

  package init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil) {
    self.exif = exif
    self.xmp = xmp
  }

  /// EXIF as a TIFF structure, without the prefix that some programs write; `nil` for other data.
  static func tiff(_ bytes: [UInt8]) -> [UInt8]? {
    let mark = JPEGStructure.Segment.exifMark
    let tiff = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
    return isTIFF(tiff) ? tiff : nil
  }

  static func isTIFF(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 8 && (bytes.starts(with: "II*\0".utf8) || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]))
  }
}
