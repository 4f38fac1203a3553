/// The differences of a picture that replaces a photo's own.
public struct PictureReplacement: Sendable, Equatable {
  /// Whether everything in the picture is where it was.
  public var keepsGeometry: Bool
  /// Whether the background is the photo's own.
  public var keepsBackground: Bool

  /// Makes a description; by default only colours and light are others.
  public init(keepsGeometry: Bool = true, keepsBackground: Bool = true) {
    (self.keepsGeometry, self.keepsBackground) = (keepsGeometry, keepsBackground)
  }
}
