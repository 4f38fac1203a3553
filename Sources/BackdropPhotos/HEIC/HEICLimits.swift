import BackdropImaging

/// Limits for HEIC files, checked before allocation and loops.
public struct HEICLimits: Sendable {
  /// Boxes in one box, or in the file itself.
  public var boxes = 65_536
  /// Items, and their locations.
  public var items = 65_536
  /// The extents of all items together: a few bytes can claim 65,535 of them.
  public var extents = 131_072
  /// The properties of all items together.
  public var associations = 1_048_576
  /// The items in all references together.
  public var references = 1_048_576
  /// Steps in assembling the pieces of one item.
  public var steps = 1_048_576
  /// The maximum depth of derived pictures.
  public var depth = 8
  /// Sizes of pictures.
  public var picture = ImageLimits.standard
  /// Bytes of Exif, XMP or ICC data; for XMP, of all auxiliary pictures together.
  public var metadata = 64 << 20
  /// Auxiliary pictures of a photo.
  public var auxiliaries = 1024
  /// Bytes of items copied to another file, as a multiple of the file's own; items may share bytes.
  public var copies = 4

  /// The default limits.
  public static let standard = HEICLimits()
}
