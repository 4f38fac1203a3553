package enum LensDistortion: Sendable, Codable, Equatable {
  /// No distortion: a pinhole camera, or rectified pictures.
  case none
  /// Brown and Conrady's model as in OpenCV, ROS and librealsense (`RS2_DISTORTION_BROWN_CONRADY`): with r² = x² + y², x′ = x (1 + k1 r² +
  /// k2 r⁴ + k3 r⁶) + 2 p1 x y + p2 (r² + 2 x²), and y′ likewise, on rays at a distance of 1.
  case brownConrady(k1: Double, k2: Double, p1: Double, p2: Double, k3: Double)
  /// The same formula from a point's distorted position to its undistorted one (`RS2_DISTORTION_INVERSE_BROWN_CONRADY`).
  case inverseBrownConrady(k1: Double, k2: Double, p1: Double, p2: Double, k3: Double)
  /// The rational model of OpenCV and Azure Kinect: Brown and Conrady's, its radial part divided by 1 + k4 r² + k5 r⁴ + k6 r⁶.
  case rational(RationalDistortion)
  /// Tables of radial magnification about a point of the picture, as in Apple's `AVCameraCalibrationData`.
  case radial(RadialDistortion)

  /// Whether pictures equal those of a pinhole.
  var isNone: Bool {
    if case .radial(let tables) = self { tables.isNone } else { coefficients.allSatisfy { $0 == 0 } }
  }

  var isFinite: Bool {
    if case .radial(let tables) = self { return tables.isFinite }
    return coefficients.allSatisfy { $0.isFinite && abs($0) < 1e6 }
  }

  /// The coefficients of a formula.
  private var coefficients: [Double] {
    switch self {
    case .none, .radial: []
    case .brownConrady(let k1, let k2, let p1, let p2, let k3),
      .inverseBrownConrady(let k1, let k2, let p1, let p2, let k3):
      [k1, k2, p1, p2, k3]
    case .rational(let lens): lens.all
    }
  }
}

/// Radial distortion in tables: the relative displacement from a centre, at equal steps of the distance.
///
/// It follows the reference implementation of `AVCameraCalibrationData` (AVCameraCalibrationData.h, "lensDistortionPointForPoint"): the
/// last entry is for the distance of the farthest corner, values between are linear, and a point at v from the centre moves to v · (1 +
/// magnification).
package struct RadialDistortion: Sendable, Codable, Equatable {
  /// The point without distortion, in pixels of the reference size, from the upper left corner.
  package var centerX, centerY: Double
  /// The reference size.
  package var width, height: Int
  /// From points of original pictures to those of undistorted ones (`inverseLensDistortionLookupTable`).
  package var straightening: [Float]
  /// From points of undistorted pictures to those of original ones (`lensDistortionLookupTable`: the header looks it up for each pixel of
  /// the undistorted picture).
  package var distorting: [Float]

  package init(centerX: Double, centerY: Double, width: Int, height: Int, straightening: [Float], distorting: [Float]) {
    self.centerX = centerX
    self.centerY = centerY
    self.width = width
    self.height = height
    self.straightening = straightening
    self.distorting = distorting
  }

  var isNone: Bool { straightening.allSatisfy { $0 == 0 } && distorting.allSatisfy { $0 == 0 } }
  var isFinite: Bool {
    centerX.isFinite && centerY.isFinite && (straightening + distorting).allSatisfy { $0.isFinite && abs($0) < 1 }
  }

  func moved(_ x: Double, _ y: Double, by table: [Float]) -> (x: Double, y: Double) {
    guard let last = table.last else { return (x, y) }
    let far = (max(centerX, Double(width) - centerX), max(centerY, Double(height) - centerY))
    let most = (far.0 * far.0 + far.1 * far.1).squareRoot()
    let (dx, dy) = (x - centerX, y - centerY)
    let position = (dx * dx + dy * dy).squareRoot() * Double(table.count - 1) / most
    var magnification = Double(last)
    // Written so that NaN takes the last entry.
    if position < Double(table.count - 1) {
      let index = Int(position)
      let part = position - Double(index)
      magnification = (1 - part) * Double(table[index]) + part * Double(table[index + 1])
    }
    return (centerX + dx * (1 + magnification), centerY + dy * (1 + magnification))
  }
}
