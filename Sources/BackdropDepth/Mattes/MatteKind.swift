/// The kind of a matte inside a photo.
public enum MatteKind: String, Sendable, Codable, CaseIterable {
  /// The people in front, as the camera's portrait mode cuts them out.
  case portrait
  /// Bare skin.
  case skin
  /// Hair of the head and of the face.
  case hair
  /// Teeth.
  case teeth
  /// Glasses.
  case glasses
  /// The sky.
  case sky
}
