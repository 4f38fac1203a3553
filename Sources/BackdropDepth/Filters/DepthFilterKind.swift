import BackdropImaging

/// A kind of filter in a ``DepthFilterChain``: its name in a chain's text, and its parameters.
///
/// The names, ranges, defaults and effects of `decimate`, `threshold`, `spatial`, `temporal` and `fill` are those of librealsense's
/// "Post-Processing Filters" documentation; `edges`, `steady` and `guided` go beyond it.
public struct DepthFilterKind: RawRepresentable, Sendable, Codable, Hashable, CaseIterable {
  /// All kinds, in the order for lists and messages.
  public static let allCases: [DepthFilterKind] = [
    // To add a filter, add a line here and a file with its stage.
    .decimate,
    .threshold,
    .edges,
    .disparity,
    .spatial,
    .temporal,
    .steady,
    .depth,
    .fill,
    .guided,
  ]

  let stage: any DepthFilterStage.Type

  init(_ stage: any DepthFilterStage.Type) { self.stage = stage }

  /// The kind of that name; `nil` if there is none.
  public init?(rawValue: String) {
    guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = kind
  }

  /// The name in a chain's text.
  public var rawValue: String { stage.name }

  /// The parameters, in their order in a chain's text without names: numbers and choices.
  public var parameters: [Parameter] { stage.parameters }

  var traits: DepthFilterTraits { stage.traits }
}

extension DepthFilterKind: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}
