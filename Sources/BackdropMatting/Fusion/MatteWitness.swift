/// Who says where people are.
public enum MatteWitness: String, Sendable, Codable, CaseIterable {
  /// The camera's own matte.
  case camera
  /// A network. It is believed as far as what it sees is not in doubt, or as several agree.
  case network
  /// Depth: as the part of the matte that it decides alone.
  case depth
  /// The room behind: as the part of it that is as it was.
  case plate
  /// A screen: as the part of the picture's border that it covers.
  case screen
}
