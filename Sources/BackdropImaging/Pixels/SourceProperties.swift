/// What a source's pictures were before they became scenes, and what was done to make them scenes: upright, with square pixels,
/// progressive, opaque beside their alpha, and of standard dynamic range unless another was asked for.
public struct SourceProperties: Sendable, Equatable {
  /// Something that was done to every picture, or to those that needed it.
  public enum Change: String, Sendable, CaseIterable {
    /// Turned or mirrored, as the file asks for.
    case turned
    /// Scaled to square pixels.
    case squared
    /// Made whole pictures of fields.
    case deinterlaced
    /// Mapped from a high dynamic range to the standard one.
    case toneMapped = "tone-mapped"
    /// Rounded to 8 bits.
    case rounded
    /// Parted from their alpha, which the scenes have beside them.
    case partedFromAlpha = "parted from alpha"
  }

  /// Size of the stored pictures, in pixels.
  public var storedWidth: Int, storedHeight: Int
  /// How they must be turned to be upright.
  public var orientation = Orientation.up
  /// Width of a stored pixel by its height.
  public var pixelAspect = Rational(1, 1)
  /// Whether some pixel so far was not opaque.
  public var hasAlpha = false
  /// Whether some picture so far was interlaced.
  public var isInterlaced = false
  /// The meaning of the stored samples: matrix, range, primaries and transfer.
  public var color: ColorDescription
  /// Bits of a stored sample.
  public var bitDepth = 8
  /// Pixels to a chroma sample, from left to right and down: 2 and 2 are 4:2:0; 1 and 1 where chroma has no samples of its own.
  public var chromaAcross = 1, chromaDown = 1
  /// A summary of the job.
  public var changes: Set<Change> = []

  /// Pictures of 8 bits that are scenes as they are.
  public init(storedWidth: Int, storedHeight: Int, color: ColorDescription) {
    (self.storedWidth, self.storedHeight, self.color) = (storedWidth, storedHeight, color)
  }
}
