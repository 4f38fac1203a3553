import BackdropDepth
import BackdropImaging

/// The meaning and the accuracy of a depth image's samples.
///
/// Integers represent values along a straight line: ``first`` at the smallest code, ``last`` at the largest, in metres for depth and in
/// 1/metre for disparity. That is Apple's `FloatMinValue` and `FloatMaxValue` (`http://ns.apple.com/pixeldatainfo/1.0/`), and both formats
/// of Google's depth map metadata (section "Encoding depth and confidence"): RangeLinear is a line in depth from near to far, RangeInverse
/// one in disparity from 1/near to 1/far. Floating-point samples are the values themselves.
public struct DepthProperties: Sendable, Codable, Equatable {
  /// The stored quantity.
  public enum Quantity: String, Sendable, Codable, CaseIterable {
    /// Distance, in metres.
    case depth
    /// Inverse distance, in 1/metre.
    case disparity
  }

  /// The storage of a sample.
  public enum Sample: String, Sendable, Codable, CaseIterable {
    case uint8
    case uint16
    case float16
    case float32

    /// Whether samples are the values themselves.
    public var isFloat: Bool { self == .float16 || self == .float32 }

    /// The largest integer code; 0 for floating-point samples.
    public var greatestCode: Int { self == .uint8 ? 255 : self == .uint16 ? 65_535 : 0 }
  }

  /// The direction of distances (Dynamic Depth 1.0 and "Depthmap metadata", `MeasureType`).
  public enum Measure: String, Sendable, Codable, CaseIterable {
    /// Along the axis of the lens, as everywhere in this library: a wall facing the camera has one depth.
    case opticalAxis
    /// Along the ray from the camera to each point.
    case opticRay
  }

  /// The origin of the values.
  public enum Origin: String, Sendable, Codable, CaseIterable {
    /// The file has them.
    case file
    /// They were computed from the two pictures of a stereo pair.
    case stereoPair = "stereo pair"
  }

  /// The camera's rating of its depth (Apple's `AVDepthData.Quality`).
  public enum Quality: String, Sendable, Codable, CaseIterable {
    case low, high
  }

  /// The stored quantity.
  public var quantity: Quantity
  /// The origin of the values.
  public var origin = Origin.file
  /// The direction of distances. ``PhotoDepth`` converts them to the axis if ``calibration`` is known.
  public var measure = Measure.opticalAxis
  /// The storage of a sample.
  public var sample: Sample
  /// The camera's original sample type; `nil` if the file does not have it.
  public var nativeSample: Sample?
  /// The smallest and largest code, from the file; usually 0…255.
  public var codes: ClosedRange<Int>
  /// The value of the smallest code; `nil` if a file does not have it, or if samples are values.
  public var first: Double?
  /// The value of the largest code.
  public var last: Double?
  /// Whether values are absolute distances.
  public var accuracy: DisparityMap.Accuracy
  /// Whether the camera has smoothed the depth and filled its holes.
  public var isFiltered: Bool?
  /// The camera's rating of its depth.
  public var quality: Quality?
  /// Apple's `DepthDataVersion`.
  public var version: Int?
  /// The camera.
  public var calibration: CameraCalibration?

  /// Makes a description; by default `codes` are those of the sample.
  public init(
    _ quantity: Quantity, _ sample: Sample, first: Double? = nil, last: Double? = nil, codes: ClosedRange<Int>? = nil,
    accuracy: DisparityMap.Accuracy = .relative, calibration: CameraCalibration? = nil
  ) {
    self.quantity = quantity
    self.sample = sample
    self.first = first
    self.last = last
    self.codes = codes ?? 0...sample.greatestCode
    self.accuracy = accuracy
    self.calibration = calibration
  }

  /// The two ends of the line from codes to values.
  func line() throws(BackdropError) -> (first: Double, last: Double) {
    guard let first, let last else {
      throw BackdropError(
        .badData, "the \(quantity.rawValue) has no range (FloatMinValue, FloatMaxValue)",
        hint: "without it, the depth has no meaning; use the photo's matte, or another photo")
    }
    guard first.isFinite && last.isFinite && abs(first) < 1e30 && abs(last) < 1e30 else {
      throw BackdropError(damaged: "the range of the \(quantity.rawValue) is not finite (\(first)…\(last))")
    }
    guard codes.lowerBound >= 0 && codes.upperBound > codes.lowerBound && codes.upperBound <= 65_535 else {
      throw BackdropError(
        damaged:
          "the \(quantity.rawValue) has stored values from \(codes.lowerBound) to \(codes.upperBound), which is not possible"
      )
    }
    return (first, last)
  }
}
