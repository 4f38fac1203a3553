import BackdropImaging

/// Limits for HEIC files, checked before allocation and loops.
package struct HEICLimits: Sendable {
  /// Boxes in one box, or in the file itself.
  package var boxes = 65_536
  package var items = 65_536
  /// The extents of all items together: a few bytes can claim 65,535 of them.
  package var extents = 131_072
  /// The properties of all items together.
  package var associations = 1_048_576
  /// The items in all references together.
  package var references = 1_048_576
  /// Steps in assembling the pieces of one item.
  package var steps = 1_048_576
  /// The maximum depth of derived pictures.
  package var depth = 8
  package var picture = ImageLimits.standard
  /// Bytes of Exif, XMP or ICC data; for XMP, of all auxiliary pictures together.
  package var metadata = 64 << 20
  package var auxiliaries = 1024
  /// Bytes of items copied to another file, as a multiple of the file's own; items may share bytes.
  package var copies = 4

  package static let standard = HEICLimits()
}
