import BackdropImaging

extension Parameter {
  /// The source of a look's parameter that follows the scene.
  public enum Automatic: String, Sendable {
    /// The subject's normalized disparity.
    case subject
    /// The percentile that divides near and far (`HistogramMask.separating(_:before:)`).
    case separation
    /// The shape of a matte: recognized people have the picture's edges, and the rest has the edges from depth with this value.
    case edges
    /// The distance of the subject, as 1 minus its normalized disparity, plus a margin.
    case behind
  }

  /// The meaning of ``automatic`` in a look.
  var source: Automatic? { automatic.flatMap(Automatic.init(rawValue:)) }
}
