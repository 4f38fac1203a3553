/// A source of a likelihood: it estimates the positions of people.
public enum LikelihoodSource: String, Sendable, Codable, CaseIterable {
  /// The camera's own matte.
  case camera
  /// A network. Its confidence is the matte's certainty, or the agreement of several networks.
  case network
  /// Depth. Its confidence is the fraction of the matte that it decides alone.
  case depth
  /// A clean plate. Its confidence is the fraction of the certain background that it explains.
  case plate
  /// A screen. Its confidence is the fraction of the picture's border that it covers.
  case screen
}
