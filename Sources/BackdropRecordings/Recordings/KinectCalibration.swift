import BackdropDepth
import BackdropImaging

/// The calibration in the recordings of Azure Kinect and Orbbec Femto cameras, as `calibration.json`.
///
/// Parameters are fractions of the sensor's full picture, measured from its upper left corner; each mode of the camera shows a part of it
/// (Azure-Kinect-Sensor-SDK: calibration.c, mode_specific_calibration.c). Lenses follow the rational model (intrinsic_transformation.c).
enum KinectCalibration {
  static let fileName = "calibration.json"

  private struct File: Decodable {
    var CalibrationInformation: Information

    struct Information: Decodable { var Cameras: [Camera] }

    struct Camera: Decodable {
      var Intrinsics: Lens
      var Location: String
      var Rt: Transformation
      var SensorWidth, SensorHeight: Int
    }

    struct Lens: Decodable {
      var ModelParameters: [Double]
      var ModelType: String
    }

    struct Transformation: Decodable { var Rotation, Translation: [Double] }
  }

  /// Reads both cameras for the given sizes of pictures and depth.
  static func cameras(_ bytes: [UInt8], color: (Int, Int), depth: (Int, Int)) throws(BackdropError) -> CameraPair {
    guard bytes.count <= 1 << 20 else {
      throw BackdropError(.overLimit, "its calibration has \(bytes.count) bytes, too many")
    }
    // The file may end with a zero.
    let text = bytes.last == 0 ? Array(bytes.dropLast()) : bytes
    let file: File = try JSONReader.decode(
      text,
      failure: BackdropError(
        .badData, "Backdrop does not understand its calibration, so depth and pictures are some pixels apart"))
    func camera(_ location: String) throws(BackdropError) -> File.Camera {
      guard let found = file.CalibrationInformation.Cameras.first(where: { $0.Location.hasSuffix(location) }) else {
        throw BackdropError(.badData, "its calibration lacks a camera, so depth and pictures are some pixels apart")
      }
      return found
    }
    let (depthCamera, colorCamera) = (try camera("D0"), try camera("PV0"))
    let result = CameraPair(
      depth: try model(depthCamera, depthCrop(depth)), color: try model(colorCamera, colorCrop(color, colorCamera)),
      extrinsics: try extrinsics(of: depthCamera).inverted.followed(by: try extrinsics(of: colorCamera)))
    _ = try PictureAligner(depth: result.depth, color: result.color, extrinsics: result.extrinsics)
    return result
  }

  /// The size of the sensor's full picture at a mode's scale, and the part that the mode shows.
  private struct Crop {
    var full: (width: Double, height: Double)
    var x: Double, y: Double
    var width: Int, height: Int
  }

  private static func depthCrop(_ size: (Int, Int)) throws(BackdropError) -> Crop {
    switch size {
    case (320, 288): Crop(full: (512, 512), x: 96, y: 90, width: 320, height: 288)
    case (640, 576): Crop(full: (1024, 1024), x: 192, y: 180, width: 640, height: 576)
    case (512, 512), (1024, 1024):
      Crop(full: (Double(size.0), Double(size.1)), x: 0, y: 0, width: size.0, height: size.1)
    default:
      throw BackdropError(
        .unsupported, "this camera has no depth mode of \(size.0)×\(size.1); Backdrop ignores its calibration")
    }
  }

  /// 4:3 pictures show the full sensor, wider ones a strip in the middle. The calibration of early cameras covers only a 16:9 strip.
  private static func colorCrop(_ size: (Int, Int), _ camera: File.Camera) throws(BackdropError) -> Crop {
    let (width, height) = (Double(size.0), Double(size.1))
    let full = width * 3 / 4
    guard height <= full + 1, size.0 > 0, camera.SensorWidth > 0 else {
      throw BackdropError(
        .unsupported, "this camera has no picture mode of \(size.0)×\(size.1); Backdrop ignores its calibration")
    }
    if camera.SensorWidth * 9 == camera.SensorHeight * 16 {
      let strip = width * 9 / 16
      return Crop(full: (width, strip), x: 0, y: (strip - height) / 2, width: size.0, height: size.1)
    }
    return Crop(full: (width, full), x: 0, y: (full - height) / 2, width: size.0, height: size.1)
  }

  private static func model(_ camera: File.Camera, _ crop: Crop) throws(BackdropError) -> CameraModel {
    let p = camera.Intrinsics.ModelParameters
    guard p.count >= 14, p.allSatisfy({ $0.isFinite }), camera.Intrinsics.ModelType.hasSuffix("BrownConrady"),
      p[10] == 0, p[11] == 0
    else {
      throw BackdropError(
        .unsupported, "Backdrop does not know its calibration's lens model, so depth and pictures are some pixels apart"
      )
    }
    let intrinsics = try CameraFile.checked(
      Intrinsics(
        fx: p[2] * crop.full.width, fy: p[3] * crop.full.height, cx: p[0] * crop.full.width - crop.x,
        cy: p[1] * crop.full.height - crop.y, width: crop.width, height: crop.height))
    // The stored order is cx, cy, fx, fy, k1 to k6, the centre, p2, p1.
    return CameraModel(
      intrinsics, lens: .rational(RationalDistortion([p[4], p[5], p[13], p[12], p[6], p[7], p[8], p[9]])))
  }

  /// The transformation from the device's origin to a camera, in metres.
  private static func extrinsics(of camera: File.Camera) throws(BackdropError) -> Extrinsics {
    let result = Extrinsics(rotation: camera.Rt.Rotation, translation: camera.Rt.Translation)
    try result.check()
    return result
  }
}
