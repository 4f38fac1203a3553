import BackdropImaging

/// Upper limits for HEIC files, checked before anything is allocated or looped over.
public struct HEICLimits: Sendable {
  /// Boxes in one place.
  public var boxes = 65_536
  /// Items, and their locations.
  public var items = 65_536
  /// Extents of all items together: a few bytes can claim 65,535 of them.
  public var extents = 131_072
  /// Properties attached to items, all together.
  public var associations = 1_048_576
  /// Items that references name, all together.
  public var references = 1_048_576
  /// Steps in putting together the pieces of one item.
  public var steps = 1_048_576
  /// How many items deep a picture may be derived from others.
  public var depth = 8
  /// Sizes of pictures.
  public var picture = ImageLimits.standard
  /// Bytes of Exif, XMP or ICC data; of the XMP of all auxiliary pictures together.
  public var metadata = 64 << 20
  /// Auxiliary pictures of a photo.
  public var auxiliaries = 1024
  /// Bytes of items that are carried over to another file, as a multiple of the file's own; items may share bytes.
  public var copies = 4

  /// The limits above.
  public static let standard = HEICLimits()
}
