import BackdropImaging

/// A filter: the implementation of a ``DepthFilterChain``'s step for a stream, with its memory of earlier frames.
///
/// To add one, write a file with a conforming type and its name as a constant of ``DepthFilterKind``, and add that to
/// ``DepthFilterKind/allCases``. A frame of the same size as the previous one must allocate nothing.
protocol DepthFilterStage: SendableMetatype {
  /// Its name in a chain's text.
  static var name: String { get }
  /// The parameters, in their order in a chain's text without names: numbers and choices.
  static var parameters: [Parameter] { get }
  static var traits: DepthFilterTraits { get }
  /// The conflict between settings that are within their ranges, with a hint; `nil` if there is none.
  static func objection(to step: DepthFilterStep) -> (reason: String, hint: String)?

  init(_ step: DepthFilterStep)

  /// Filters the next frame; it may change or replace any part.
  mutating func apply(to frame: inout FilterFrame)

  /// Updates the confidence for a plane that it has just filtered.
  func update(_ plane: FilterPlane, in confidence: inout ConfidenceEstimator)

  mutating func reset()
}

extension DepthFilterStage {
  static var parameters: [Parameter] { [] }
  static var traits: DepthFilterTraits { [] }
  static func objection(to step: DepthFilterStep) -> (reason: String, hint: String)? { nil }

  /// Gives filled pixels a low confidence, and leaves the rest.
  func update(_ plane: FilterPlane, in confidence: inout ConfidenceEstimator) { confidence.update(plane) }

  mutating func reset() {}
}

/// The rules for a filter's position in a chain.
struct DepthFilterTraits: OptionSet {
  let rawValue: UInt16

  /// Reduces the map: comes before filters that then have less work.
  static let shrinks = Self(rawValue: 1 << 0)
  /// May come before a filter that reduces the map.
  static let precedesShrinking = Self(rawValue: 1 << 1)
  static let needsMetres = Self(rawValue: 1 << 2)
  static let needsDisparity = Self(rawValue: 1 << 3)
  static let makesDisparity = Self(rawValue: 1 << 4)
  static let makesMetres = Self(rawValue: 1 << 5)
  static let needsHoles = Self(rawValue: 1 << 6)
  /// Leaves no hole.
  static let fillsHoles = Self(rawValue: 1 << 7)
  static let needsEdges = Self(rawValue: 1 << 8)
  /// Hides edges.
  static let smooths = Self(rawValue: 1 << 9)
  /// Takes means over time; one such step is enough.
  static let smoothsOverTime = Self(rawValue: 1 << 10)
}

extension Parameter {
  static func number(
    _ name: String, _ summary: String, unit: String = "", in range: ClosedRange<Double>, default value: Double
  ) -> Parameter {
    Parameter(name, summary, .number(range, unit: unit, isWhole: false), default: .number(value), group: .depth)
  }

  static func whole(
    _ name: String, _ summary: String, in range: ClosedRange<Double>, default value: Double
  ) -> Parameter {
    Parameter(name, summary, .number(range, unit: "", isWhole: true), default: .number(value), group: .depth)
  }
}
