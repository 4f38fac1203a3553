import BackdropImaging
import CBackdropKernels

/// Simulates the effect of a structured-light depth sensor on exact depth.
///
/// It measures disparity, in pixels of a map 640 wide for any real size, between a projector and a camera ``baseline``
/// metres apart. With focal length f, z = f · b / d, so an error of σ pixels causes one of σ · z² / (f · b) metres
/// (Khoshelham and Oude Elberink 2012, equation 5). With the default camera f · b = 27 pixel metres: 1.9 mm at 1 m and
/// 12 mm at 2.5 m, of which the steps of an eighth of a pixel (Kinect's) are about half.
struct DepthSensor: Sendable {
  /// Metres from the sensor's camera to its projector, which is on the right.
  static let baseline = 0.05
  /// Pixels of disparity, before the steps.
  static let sigma: Float = 0.035
  /// The maximum distance in metres.
  static let far: Float = 5

  private let width, height: Int
  private let disparityOfMetre: Float
  private let seed: UInt32

  /// - Parameter focal: the horizontal focal length in pixels of the map.
  init(width: Int, height: Int, focal: Double, seed: UInt64) {
    (self.width, self.height) = (width, height)
    disparityOfMetre = Float(focal * DepthSensor.baseline)
    self.seed = UInt32(truncatingIfNeeded: (seed &* 0xD1B5_4A32_D192_ED03) >> 32)
  }

  /// A map with noise and holes (NaN).
  func measure(
    _ metres: Plane<Float>, _ reflectance: Plane<UInt8>, frame: Int, _ kernels: bd_render_kernels
  ) -> Plane<Float> {
    var parameters = bd_render_sensor(
      width: Int32(width), height: Int32(height), disparityOfMetre: disparityOfMetre, scale: 640 / Float(width),
      sigma: DepthSensor.sigma, far: DepthSensor.far, seed: seed, frame: UInt32(truncatingIfNeeded: frame))
    var visible = Plane<Float>(uninitializedWidth: width, height: height)
    var result = Plane<Float>(uninitializedWidth: width, height: height)
    let stride = visible.stride
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * width + 16) { scratch in
      visible.withUnsafeMutablePointer { visible in
        metres.withUnsafePointer { from in
          reflectance.withUnsafePointer { infrared in
            for y in 0..<height {
              kernels.illuminate_row(
                visible + y * stride, Int32(y), from + y * metres.stride, infrared + y * reflectance.stride,
                &parameters, scratch.baseAddress)
            }
          }
        }
        let resultStride = result.stride
        result.withUnsafeMutablePointer { out in
          for y in 0..<height {
            kernels.measure_row(out + y * resultStride, Int32(y), visible, stride, &parameters, scratch.baseAddress)
          }
        }
      }
    }
    return result
  }
}
