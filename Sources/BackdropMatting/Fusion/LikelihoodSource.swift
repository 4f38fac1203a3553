/// A source of a likelihood: it estimates the positions of people. It is serialised by its code.
public struct LikelihoodSource: RawRepresentable, Hashable, Sendable, Codable {
  /// Its code.
  public let rawValue: String

  /// The source of that code.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A network. Its confidence is the matte's certainty, or the agreement of several networks.
  public static let network = Self(rawValue: "network")
  /// Depth. Its confidence is the fraction of the matte that it decides alone.
  public static let depth = Self(rawValue: "depth")
  /// A clean plate. Its confidence is the fraction of the certain background that it explains.
  public static let plate = Self(rawValue: "plate")
}
