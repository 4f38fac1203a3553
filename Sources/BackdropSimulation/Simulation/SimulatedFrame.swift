import BackdropDepth
import BackdropImaging

/// One frame of a ``SimulatedCamera``, with the truth about it.
public struct SimulatedFrame: Sendable {
  /// A camera's frame: a `bgra8` picture, depth as the sensor measured it, face rectangles, time.
  public var frame: Scene
  /// How much of each pixel of the picture the people cover, and what they hold: 0…32768.
  ///
  /// The picture is exactly coverage × people + (1 − coverage) × surroundings, in code values, rounded once.
  public var alpha: Plane<UInt16>
  /// Depth without the sensor's errors, at the size of `frame.depth`: at each pixel's centre, the nearest surface that
  /// covers at least half of the point; NaN where there is none.
  public var trueDepth: DepthMap
}

/// One of the people in a frame of a ``SimulatedCamera``.
public struct SimulatedPerson: Sendable {
  /// How much of each pixel of the picture is seen of this person, 0…32768.
  public var alpha: Plane<UInt16>
  /// The face's box, in pixels of the picture, whether it is seen or hidden by others.
  public var face: Rect
}
