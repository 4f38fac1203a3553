import BackdropDepth
import BackdropImaging

/// The camera of a photo, from the photo's depth data.
///
/// Apple's `depthData` XMP follows `AVCameraCalibrationData`: matrices are column by column, lengths in pixels of the
/// reference size.
public struct CameraCalibration: Sendable, Codable, Equatable {
  /// A point in pixels of the reference size, from the upper left corner.
  public struct Point: Sendable, Codable, Equatable {
    /// Right and down.
    public var x, y: Double

    /// Makes a point.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// Focal lengths and principal point, with the reference size of the picture (as stored, not turned).
  public var intrinsics: Intrinsics
  /// Rotation (nine numbers, column by column) and position (three, in millimetres) of the camera; usually the identity.
  public var extrinsics: [Double]?
  /// Side of a pixel of the reference size on the sensor, in millimetres.
  public var pixelSizeMillimetres: Double?
  /// The point without distortion, in pixels of the reference size.
  public var distortionCenter: Point?
  /// Values that describe the lens's radial distortion, in the file's own form.
  public var distortion: [Double]
  /// The same for the opposite direction, from undistorted to distorted.
  public var inverseDistortion: [Double]

  /// Makes a calibration.
  public init(
    intrinsics: Intrinsics, extrinsics: [Double]? = nil, pixelSizeMillimetres: Double? = nil,
    distortionCenter: Point? = nil, distortion: [Double] = [], inverseDistortion: [Double] = []
  ) {
    self.intrinsics = intrinsics
    self.extrinsics = extrinsics
    self.pixelSizeMillimetres = pixelSizeMillimetres
    self.distortionCenter = distortionCenter
    self.distortion = distortion
    self.inverseDistortion = inverseDistortion
  }

  /// The same camera for the picture turned upright from a stored orientation. Extrinsics and distortion belong to the sensor and stay.
  public func oriented(_ orientation: Orientation) -> CameraCalibration {
    var result = self
    result.intrinsics = intrinsics.oriented(orientation)
    if let center = distortionCenter {
      var moved = intrinsics
      (moved.cx, moved.cy) = (center.x, center.y)
      moved = moved.oriented(orientation)
      result.distortionCenter = Point(x: moved.cx, y: moved.cy)
    }
    return result
  }
}
