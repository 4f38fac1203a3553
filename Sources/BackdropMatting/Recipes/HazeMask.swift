import BackdropDepth
import Libc

/// The amount of haze by distance: the law of Beer and Lambert, 1 − exp(−density · z), with z from 0 at the start of the haze to 1 at the
/// farthest point.
///
/// Distance here is 1 − normalized disparity, which is not linear in metres. Most photos have no absolute metres, and so haze builds up
/// through the part of the scene that the picture shows well.
package struct HazeMask: Sendable, Equatable {
  /// The density of the haze, 0 for none.
  package var density: Double
  /// The start of the haze, 0 nearest … 1 farthest.
  package var start: Double

  package init(density: Double, start: Double = 0) {
    self.density = density
    self.start = start
  }

  /// The matte of the haze, at the size of `disparity`.
  package func matte(of disparity: NormalizedDisparity) -> Matte {
    let scale = 1 / max(1e-6, 1 - start)
    return Matte(mapping: disparity.values) { 1 - exp(-density * max(0, (1 - Double($0) - start) * scale)) }
  }
}
