import BackdropImaging

extension Parameter {
  /// Where the value of a look's parameter comes from that follows the scene.
  public enum Automatic: String, Sendable {
    /// The normalized disparity of what the picture is about.
    case subject
    /// The percentile that parts what is near from what is behind (``/BackdropMatting/HistogramMask/separating(_:before:)``).
    case separation
    /// The shape of a matte: its edges are the picture's where somebody is recognized, and depth's as the value says elsewhere.
    case edges
    /// How far away what the picture is about is, as 1 less its normalized disparity, and a little more.
    case behind
  }

  /// The meaning of ``automatic`` in a look.
  var source: Automatic? { automatic.flatMap(Automatic.init(rawValue:)) }
}
