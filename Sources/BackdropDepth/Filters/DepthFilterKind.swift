/// What a step of a ``DepthFilterChain`` does: its name in a chain's text, and what can be set.
///
/// The names, ranges and defaults of `decimate`, `threshold`, `spatial`, `temporal` and `fill` are those of librealsense's
/// "Post-Processing Filters" documentation, and so is what they do; `edges`, `steady` and `guided` go beyond it.
public enum DepthFilterKind: String, Sendable, Codable, CaseIterable {
  /// Makes the map smaller: the median of 2×2 or 3×3 pixels, the mean of 4×4 … 8×8, of those that are no holes.
  case decimate
  /// Turns depths outside a range into holes.
  case threshold
  /// Makes holes of what is beside an edge or a hole: there are the pixels that fly between near and far, and the border by
  /// which near things are too wide. For `guided`, which gives them to the side whose colours they have.
  case edges
  /// From depth to disparity, in which a stereo camera's error is the same at each distance.
  case disparity
  /// Smooths within surfaces: a recursive mean along rows and columns that begins anew at each edge (Gastal and Oliveira,
  /// "Domain Transform for Edge-Aware Image and Video Processing", SIGGRAPH 2011).
  case spatial
  /// Smooths over time and lets values stay where there are none: an exponential mean that begins anew at each change.
  case temporal
  /// The same for moving pictures: each pixel's mean grows longer as long as nothing changes, and follows at once.
  case steady
  /// From disparity back to depth.
  case depth
  /// Fills holes from their neighbours.
  case fill
  /// Fills holes and smooths by the guide's colours: a mean of what is of one colour and one depth. Leaves no hole, if the
  /// map has a value at all.
  case guided

  /// What can be set, in the order in which a chain's text may give it without names.
  public var parameters: [DepthFilterParameter] {
    switch self {
    case .decimate:
      [.init("magnitude", "pixels that become one, across and down", in: 2...8, default: 2, isWhole: true)]
    case .threshold:
      [
        .init("near", "what is nearer becomes a hole", unit: "m", in: 0...16, default: 0.1),
        .init("far", "what is farther becomes a hole", unit: "m", in: 0...16, default: 4),
      ]
    case .edges:
      [.init("reach", "pixels beside an edge that are not believed", in: 1...8, default: 2, isWhole: true)]
    case .disparity:
      [
        .init(
          "baseline", "distance of the two cameras, or of camera and projector", unit: "m", in: 0.001...1, default: 0.05
        )
      ]
    case .spatial:
      [
        .init("magnitude", "how often it is done", in: 1...5, default: 2, isWhole: true),
        .init("alpha", "weight of the pixel itself; 1 does nothing", in: 0.25...1, default: 0.5),
        .init("delta", "the step that is an edge: in 1/32 pixel of disparity, or mm of depth", in: 1...50, default: 20),
        .init(
          "holes", "how far holes are filled along rows: not, 2, 4, 8, 16 pixels, without limit", in: 0...5, default: 0,
          isWhole: true),
      ]
    case .temporal:
      [
        .init("alpha", "weight of the new frame; 1 does nothing", in: 0...1, default: 0.4),
        .init(
          "delta", "the step that is a change: in 1/32 pixel of disparity, or mm of depth", in: 1...100, default: 20),
        .init(
          "persistency",
          "when a hole takes the last value: never (0), valid in 8 of the last 8 frames, 2 of 3, 2 of 4, 2 of 8, 1 of 2, "
            + "1 of 5, 1 of 8, always (8)", in: 0...8, default: 3, isWhole: true),
      ]
    case .steady:
      [.init("frames", "the most that a mean is of", in: 2...32, default: 8, isWhole: true)]
    case .depth: []
    case .fill:
      [
        .init(
          "mode", "what a hole takes of its neighbours", in: 0...2, default: 1, isWhole: true,
          choices: ["left", "farthest", "nearest"])
      ]
    case .guided:
      [.init("strength", "how much values are smoothed too: 0 only fills holes", in: 0...1, default: 1)]
    }
  }
}

/// A number of a filter that can be set.
public struct DepthFilterParameter: Sendable, Codable, Equatable {
  /// The name in a chain's text.
  public var name: String
  /// What it does, in one line.
  public var summary: String
  /// Its unit; empty for plain numbers.
  public var unit: String
  /// Smallest and largest value.
  public var minimum, maximum: Double
  /// The default value.
  public var `default`: Double
  /// Whether it takes whole numbers only.
  public var isWhole: Bool
  /// Names of its values from 0 on, if they have some.
  public var choices: [String]

  init(
    _ name: String, _ summary: String, unit: String = "", in range: ClosedRange<Double>, default value: Double,
    isWhole: Bool = false, choices: [String] = []
  ) {
    self.name = name
    self.summary = summary
    self.unit = unit
    minimum = range.lowerBound
    maximum = range.upperBound
    self.default = value
    self.isWhole = isWhole
    self.choices = choices
  }

  /// A value as a chain's text has it.
  func text(_ value: Double) -> String {
    if !choices.isEmpty { return choices[Int(value)] }
    return isWhole || (value == value.rounded() && abs(value) < 1e6) ? "\(Int(value))" : "\(value)"
  }
}
