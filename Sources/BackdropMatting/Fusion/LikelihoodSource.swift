/// A source of a likelihood: it estimates where people are.
public enum LikelihoodSource: String, Sendable, Codable, CaseIterable {
  /// The camera's own matte.
  case camera
  /// A network. Its confidence is the matte's certainty, or how well several networks agree.
  case network
  /// Depth. Its confidence is the part of the matte that it decides alone.
  case depth
  /// A clean plate. Its confidence is how much of the sure background it explains.
  case plate
  /// A screen. Its confidence is the part of the picture's border that it covers.
  case screen
}
