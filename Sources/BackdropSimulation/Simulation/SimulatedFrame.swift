import BackdropDepth
import BackdropImaging

/// One frame of a ``SimulatedCamera``, with its ground truth.
package struct SimulatedFrame: Sendable {
  /// A camera's frame: a `bgra8` picture, the sensor's depth, face rectangles, time.
  package var frame: Scene
  /// The coverage of each pixel by people and the things they hold: 0…32768.
  ///
  /// The picture is exactly coverage × people + (1 − coverage) × surroundings, in code values, rounded once.
  package var alpha: Plane<UInt16>
  /// Depth without the sensor's errors, at the size of `frame.depth`: at each pixel's centre, the nearest surface that
  /// covers at least half of the point; NaN if there is none.
  package var trueDepth: DepthMap
}

package struct SimulatedPerson: Sendable {
  /// The visible part of this person in each pixel, 0…32768.
  package var alpha: Plane<UInt16>
  /// The face's box, in pixels of the picture, visible or hidden by others.
  package var face: Rect
}
