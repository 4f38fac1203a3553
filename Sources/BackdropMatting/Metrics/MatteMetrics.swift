import BackdropImaging

/// How far a matte is from the true one: the measures of the alpha matting literature, in plain units.
///
/// Opacity runs from 0 to 1 and all pixels count. The definitions are those of the evaluation of Robust Video Matting
/// (Lin, Yang, Saleemi, Sengupta: "Robust High-Resolution Video Matting with Temporal Guidance", WACV 2022,
/// arXiv:2108.11515, script `evaluation/evaluate_lr.py`), which follow Rhemann et al., "A Perceptually Motivated Online
/// Benchmark for Image Matting", CVPR 2009. Published tables scale them: see ``robustVideoMattingScores``.
package struct MatteMetrics: Sendable, Codable, Equatable {
  package var width, height: Int
  /// Sum of absolute differences. Rhemann et al. print it divided by 1000.
  package var sad: Double
  /// Mean absolute difference, 0…1.
  package var mad: Double
  /// Mean squared difference, 0…1.
  package var mse: Double
  /// Sum of squared differences of the gradient magnitudes, by first derivatives of a Gaussian of sigma 1.4 pixels,
  /// after each matte is stretched to 0…1.
  package var gradient: Double
  /// Sum of absolute differences of pixels' degrees of connection to the largest region that is opaque in both mattes,
  /// in steps of 0.1; differences below 0.15 of a pixel to its connected level do not count.
  package var connectivity: Double
  /// Intersection over union of the pixels that are at least half opaque, 0…1; 1 if there are none in both.
  package var iou: Double

  /// Compares mattes with opacity 0…1. Values outside are clamped and NaN counts as 0.
  ///
  /// About a quarter of a second for 1920×1080 on one core.
  /// - Throws: `wrongArgument` if the sizes differ or there are no pixels.
  package init(of matte: Plane<Float>, against truth: Plane<Float>) throws(BackdropError) {
    try self.init(of: UnitMatte(matte), against: UnitMatte(truth))
  }

  init(of matte: UnitMatte, against truth: UnitMatte) throws(BackdropError) {
    try matte.checkComparable(with: truth)
    var absolute = 0.0
    var squared = 0.0
    var intersection = 0
    var union = 0
    for (found, wanted) in zip(matte.opacity, truth.opacity) {
      let difference = Double(found - wanted)
      absolute += abs(difference)
      squared += difference * difference
      intersection += found >= 0.5 && wanted >= 0.5 ? 1 : 0
      union += found >= 0.5 || wanted >= 0.5 ? 1 : 0
    }
    let count = Double(matte.opacity.count)
    width = matte.width
    height = matte.height
    sad = absolute
    mad = absolute / count
    mse = squared / count
    gradient = GradientError.sum(matte, truth)
    connectivity = ConnectivityError.sum(matte, truth)
    iou = union == 0 ? 1 : Double(intersection) / Double(union)
  }

  package var robustVideoMattingScores: RobustVideoMattingScores {
    RobustVideoMattingScores(
      mad: mad * 1e3, mse: mse * 1e3, gradient: gradient / 1e3, connectivity: connectivity / 1e3, dtSSD: nil)
  }
}

/// Figures with the factors of Robust Video Matting's tables.
package struct RobustVideoMattingScores: Sendable, Codable, Equatable {
  /// ``MatteMetrics/mad`` × 10³.
  package var mad: Double
  /// ``MatteMetrics/mse`` × 10³.
  package var mse: Double
  /// ``MatteMetrics/gradient`` ÷ 10³.
  package var gradient: Double
  /// ``MatteMetrics/connectivity`` ÷ 10³.
  package var connectivity: Double
  /// ``MatteSequenceMetrics/dtSSD`` × 10², for sequences; averaged with a 0 for the first frame, as their script does.
  package var dtSSD: Double?
}

/// A matte as contiguous floats from 0 to 1.
struct UnitMatte: Sendable {
  let width, height: Int
  /// Row by row, without padding.
  let opacity: [Float]

  init(_ plane: Plane<Float>) {
    width = plane.width
    height = plane.height
    opacity = plane.samples.map { $0 > 0 ? min($0, 1) : 0 }
  }

  func checkComparable(with truth: UnitMatte) throws(BackdropError) {
    guard width == truth.width && height == truth.height else {
      throw BackdropError(
        .wrongArgument, "the matte is \(width)×\(height), but the truth is \(truth.width)×\(truth.height)",
        hint: "scale one of them to the other's size first")
    }
    guard !opacity.isEmpty else { throw BackdropError(.wrongArgument, "the mattes are empty") }
  }
}
