/// The differences between a photo's own picture and its replacement.
public struct PictureReplacement: Sendable, Equatable {
  /// Whether everything in the picture stays in place.
  public var keepsGeometry: Bool
  /// Whether the background is still the photo's own.
  public var keepsBackground: Bool

  /// Makes a description; by default only colours and light differ.
  public init(keepsGeometry: Bool = true, keepsBackground: Bool = true) {
    (self.keepsGeometry, self.keepsBackground) = (keepsGeometry, keepsBackground)
  }
}
