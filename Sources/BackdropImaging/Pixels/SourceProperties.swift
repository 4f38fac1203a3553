/// The original properties of a source's pictures, and the changes that turned them into scenes: upright, with square pixels, progressive,
/// with separate alpha, and of standard dynamic range unless another was requested.
package struct SourceProperties: Sendable, Equatable {
  /// A change to every picture, or to those that needed it.
  package enum Change: String, Sendable, CaseIterable {
    /// Turned or mirrored, as the file requires.
    case turned
    /// Scaled to square pixels.
    case squared
    case deinterlaced
    case toneMapped = "tone-mapped"
    /// Rounded to 8 bits.
    case rounded
    /// Separated from their alpha, which scenes keep in a plane of its own.
    case partedFromAlpha = "parted from alpha"
  }

  package var storedWidth: Int, storedHeight: Int
  package var orientation = Orientation.up
  /// The width of a stored pixel divided by its height.
  package var pixelAspect = Rational(1, 1)
  /// Whether any pixel so far was not opaque.
  package var hasAlpha = false
  /// Whether any picture so far was interlaced.
  package var isInterlaced = false
  package var color: ColorDescription
  package var bitDepth = 8
  /// Pixels per chroma sample, horizontally and vertically: 2 and 2 are 4:2:0; 1 and 1 if chroma has no samples of its own.
  package var chromaAcross = 1, chromaDown = 1
  package var changes: Set<Change> = []

  /// Pictures of 8 bits that need no change to become scenes.
  package init(storedWidth: Int, storedHeight: Int, color: ColorDescription) {
    (self.storedWidth, self.storedHeight, self.color) = (storedWidth, storedHeight, color)
  }
}
