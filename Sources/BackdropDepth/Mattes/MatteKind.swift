/// The kind of a matte in a photo.
public enum MatteKind: String, Sendable, Codable, CaseIterable {
  /// The people in front, cut out by the camera's portrait mode.
  case portrait
  /// Bare skin.
  case skin
  /// Hair of the head and of the face.
  case hair
  case teeth
  case glasses
  case sky
}
