import BackdropImaging

/// A filter: what a step of a ``DepthFilterChain`` does to a stream, with its memory of earlier frames.
///
/// To add one, write a file with a type that conforms and with its name as a constant of ``DepthFilterKind``, and put that
/// into ``DepthFilterKind/allCases``. A frame of the same size as the one before must allocate nothing.
protocol DepthFilterStage: SendableMetatype {
  /// Its name in a chain's text.
  static var name: String { get }
  /// The parameters, in the order in which a chain's text may give them without names: numbers and choices.
  static var parameters: [Parameter] { get }
  /// The rule for its place in a chain.
  static var traits: DepthFilterTraits { get }
  /// Why settings that are each in their range make no sense together, and what to write instead.
  static func objection(to step: DepthFilterStep) -> (reason: String, hint: String)?

  /// A filter with the settings of a step of its kind, which has seen nothing.
  init(_ step: DepthFilterStep)

  /// Filters the next frame, of which it may change or replace all.
  mutating func apply(to frame: inout FilterFrame)

  /// Tells the confidence what became of a plane that it has just filtered.
  func note(_ plane: FilterPlane, in confidence: inout ConfidenceFilter)

  /// Forgets earlier frames.
  mutating func reset()
}

extension DepthFilterStage {
  static var parameters: [Parameter] { [] }
  static var traits: DepthFilterTraits { [] }
  static func objection(to step: DepthFilterStep) -> (reason: String, hint: String)? { nil }

  /// Believes what it filled little, and leaves the rest.
  func note(_ plane: FilterPlane, in confidence: inout ConfidenceFilter) { confidence.note(plane) }

  mutating func reset() {}
}

/// The rule for a filter's place in a chain.
struct DepthFilterTraits: OptionSet {
  let rawValue: UInt16

  /// Makes the map smaller: comes before all that has less to do then.
  static let shrinks = Self(rawValue: 1 << 0)
  /// May come before a filter that shrinks.
  static let precedesShrinking = Self(rawValue: 1 << 1)
  /// Works on metres alone.
  static let needsMetres = Self(rawValue: 1 << 2)
  /// Works on disparity alone.
  static let needsDisparity = Self(rawValue: 1 << 3)
  /// Turns metres into disparity.
  static let makesDisparity = Self(rawValue: 1 << 4)
  /// Turns disparity into metres.
  static let makesMetres = Self(rawValue: 1 << 5)
  /// Has to know where holes are.
  static let needsHoles = Self(rawValue: 1 << 6)
  /// Leaves no hole.
  static let fillsHoles = Self(rawValue: 1 << 7)
  /// Has to know where edges are.
  static let needsEdges = Self(rawValue: 1 << 8)
  /// Hides edges.
  static let smooths = Self(rawValue: 1 << 9)
  /// Takes means over time, of which one is enough.
  static let smoothsOverTime = Self(rawValue: 1 << 10)
}

extension Parameter {
  /// A number of a filter.
  static func number(
    _ name: String, _ summary: String, unit: String = "", in range: ClosedRange<Double>, default value: Double,
    isWhole: Bool = false
  ) -> Parameter {
    Parameter(name, summary, .number(range, unit: unit, isWhole: isWhole), default: .number(value), group: .depth)
  }
}
