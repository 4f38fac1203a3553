import BackdropImaging

/// The expected error of a measured distance.
///
/// Cameras that measure by triangulation, stereo and structured light, measure a disparity d = f · b / z in pixels. A small disparity error
/// causes a distance error that grows with the square of the distance: σz = z² · σd / (f · b) (Khoshelham and Oude Elberink, "Accuracy and
/// Resolution of Kinect Depth Data for Indoor Mapping Applications", Sensors 12(2), 2012, equation 5; Intel, "Best-Known-Methods for Tuning
/// Intel RealSense D400 Depth Cameras", section on the RMS error).
package struct DepthErrorModel: Sendable, Codable, Equatable {
  /// Standard deviation at one metre, in metres: σd / (f · b).
  package var atOneMetre: Double

  package init(atOneMetre: Double) { self.atOneMetre = atOneMetre }

  /// The model of a camera: its focal length in pixels of the depth map, the distance between the two cameras, or between projector and
  /// camera, and the standard deviation of the disparity in pixels; a tenth is usual for stereo.
  ///
  /// - Throws: `wrongArgument` for numbers that are not positive and finite.
  package init(focalPixels: Double, baselineMetres: Double, disparityError: Double) throws(BackdropError) {
    let numbers = [focalPixels, baselineMetres, disparityError]
    guard numbers.allSatisfy({ $0 > 0 && $0.isFinite }), (disparityError / focalPixels / baselineMetres).isFinite else {
      throw BackdropError(
        .wrongArgument,
        "no camera has a focal length of \(focalPixels) pixels, a baseline of \(baselineMetres) m and an error of \(disparityError) pixels",
        hint: "give three numbers above 0")
    }
    self.init(atOneMetre: disparityError / focalPixels / baselineMetres)
  }

  /// The measured error of the Kinect: 1.4 mm at 1 m, 3.6 cm at 5 m (Khoshelham and Oude Elberink 2012, section 4.2, m / (f · b) = 2.85 ·
  /// 10⁻⁵ per cm, σd = half a pixel). Cameras of other makes are of the same order of magnitude.
  package static let structuredLight = DepthErrorModel(atOneMetre: 1.425e-3)

  /// The standard deviation at a distance, both in metres.
  package func expected(atMetres metres: Double) -> Double { atOneMetre * metres * metres }
}
