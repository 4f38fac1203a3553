import BackdropDepth
import BackdropImaging

extension CameraCalibration {
  /// The number of entries in the tables of ``camera``.
  private static let entries = 256

  /// The camera with its lens.
  ///
  /// Photos contain the distortion as two undocumented polynomials. This property takes them as polynomials in even powers, from the zeroth
  /// on, of the distance from the centre in millimetres on the sensor, in per cent. With this interpretation the two undo each other (to 2
  /// pixels of 4032 in all available photos), and the picture's middle is smooth.
  package var camera: CameraModel {
    guard let center = distortionCenter, let pixel = pixelSizeMillimetres, pixel > 0, !distortion.isEmpty,
      !inverseDistortion.isEmpty, intrinsics.width > 0, intrinsics.height > 0
    else { return CameraModel(intrinsics) }
    let farX = max(center.x, Double(intrinsics.width) - center.x)
    let farY = max(center.y, Double(intrinsics.height) - center.y)
    let most = (farX * farX + farY * farY).squareRoot() * pixel
    func table(_ polynomial: [Double]) -> [Float] {
      (0..<Self.entries).map { index in
        let radius = most * Double(index) / Double(Self.entries - 1)
        return Float(polynomial.reversed().reduce(0) { $0 * radius * radius + $1 } / 100)
      }
    }
    return CameraModel(
      intrinsics,
      lens: .radial(
        RadialDistortion(
          centerX: center.x, centerY: center.y, width: intrinsics.width, height: intrinsics.height,
          straightening: table(inverseDistortion), distorting: table(distortion))))
  }
}

extension DepthPhoto {
  /// A photo's picture and depth without lens distortion, upright.
  public struct Rectified: Sendable {
    /// The picture, `bgra8`.
    public var image: Image
    /// The depth, in its own unit; its intrinsics also describe the picture.
    public var disparity: DisparityMap
  }

  /// The picture and the depth as through a lens without distortion: straight lines are straight, and points in space have their true
  /// positions. Both had the same distortion, so they still match.
  ///
  /// - Throws: `badData` if there is no depth or the calibration is invalid, `unsupported` without a calibration of the lens, and errors of
  ///   decoding.
  public func rectified() throws(BackdropError) -> Rectified {
    guard let depth = try depth() else {
      throw BackdropError(.badData, "the photo has no depth", hint: "give a photo with depth")
    }
    guard let calibration = depth.properties.calibration, !calibration.distortion.isEmpty else {
      throw BackdropError(
        .unsupported, "the photo does not describe its lens's distortion", hint: "use the photo as it is")
    }
    let rectifier = try LensRectifier(calibration.camera)
    return Rectified(image: rectifier.rectified(try image(as: .bgra8)), disparity: rectifier.rectified(depth.disparity))
  }
}
