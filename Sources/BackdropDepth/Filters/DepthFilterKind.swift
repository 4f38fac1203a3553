import BackdropImaging

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

  /// What can be set, in the order in which a chain's text may give it without names: numbers and choices.
  public var parameters: [Parameter] {
    switch self {
    case .decimate:
      [number("magnitude", "pixels that become one, across and down", in: 2...8, default: 2, isWhole: true)]
    case .threshold:
      [
        number("near", "what is nearer becomes a hole", unit: "m", in: 0...16, default: 0.1),
        number("far", "what is farther becomes a hole", unit: "m", in: 0...16, default: 4),
      ]
    case .edges:
      [number("reach", "pixels beside an edge that are not believed", in: 1...8, default: 2, isWhole: true)]
    case .disparity:
      [
        number(
          "baseline", "distance of the two cameras, or of camera and projector", unit: "m", in: 0.001...1, default: 0.05
        )
      ]
    case .spatial:
      [
        number("magnitude", "how often it is done", in: 1...5, default: 2, isWhole: true),
        number("alpha", "weight of the pixel itself; 1 does nothing", in: 0.25...1, default: 0.5),
        number(
          "delta", "the step that is an edge: in 1/32 pixel of disparity, or mm of depth", in: 1...50, default: 20),
        number(
          "holes", "how far holes are filled along rows: not, 2, 4, 8, 16 pixels, without limit", in: 0...5, default: 0,
          isWhole: true),
      ]
    case .temporal:
      [
        number("alpha", "weight of the new frame; 1 does nothing", in: 0...1, default: 0.4),
        number(
          "delta", "the step that is a change: in 1/32 pixel of disparity, or mm of depth", in: 1...100, default: 20),
        number(
          "persistency",
          "when a hole takes the last value: never (0), valid in 8 of the last 8 frames, 2 of 3, 2 of 4, 2 of 8, 1 of 2, "
            + "1 of 5, 1 of 8, always (8)", in: 0...8, default: 3, isWhole: true),
      ]
    case .steady:
      [number("frames", "the most that a mean is of", in: 2...32, default: 8, isWhole: true)]
    case .depth: []
    case .fill:
      [
        Parameter(
          "mode", "what a hole takes of its neighbours",
          .choice([
            .init("left", "the value at its left"), .init("farthest", "the farthest value beside it"),
            .init("nearest", "the nearest value beside it"),
          ]), default: "farthest", group: .depth)
      ]
    case .guided:
      [number("strength", "how much values are smoothed too: 0 only fills holes", in: 0...1, default: 1)]
    }
  }

  private func number(
    _ name: String, _ summary: String, unit: String = "", in range: ClosedRange<Double>, default value: Double,
    isWhole: Bool = false
  ) -> Parameter {
    Parameter(name, summary, .number(range, unit: unit, isWhole: isWhole), default: .number(value), group: .depth)
  }
}
