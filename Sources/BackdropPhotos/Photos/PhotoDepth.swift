import BackdropDepth
import BackdropImaging

/// The depth or disparity of a photo: the stored samples, and their meaning.
///
/// The stored samples are authoritative, so that reading and writing are lossless; metres and 1/metre are computed on request. A photo from
/// a phone with two cameras usually has disparity of relative accuracy.
public struct PhotoDepth: Sendable {
  /// The samples: `gray8`, `gray16` or `grayFloat`.
  public let samples: Image
  /// Their meaning.
  public let properties: DepthProperties
  /// The camera's confidence in each sample (0…1), if the file has it.
  public var confidence: Plane<Float>?
  /// The error that left ``confidence`` out although the file has it.
  public internal(set) var confidenceFault: BackdropError?

  /// Samples with their meaning.
  ///
  /// - Throws: `wrongArgument` for a pixel format that is not grey, `badData` if integers have no range.
  public init(samples: Image, properties: DepthProperties) throws(BackdropError) {
    switch samples.format {
    case .gray8, .gray16: _ = try properties.line()
    case .grayFloat: break
    default: throw BackdropError(.wrongArgument, "depth must have grey samples, not \(samples.format.rawValue)")
    }
    self.samples = samples
    self.properties = properties
  }

  /// Pixels in a row.
  public var width: Int { samples.width }
  /// Rows.
  public var height: Int { samples.height }

  /// Whether ``depth`` and ``disparity`` are along the lens's axis: false if a file has them along rays without the camera.
  public var isAlongAxis: Bool { properties.measure == .opticalAxis || rays != nil }

  /// The values in metres or 1/metre along the lens's axis, by ``DepthProperties/quantity``; zero and negative ones are kept.
  private var values: Plane<Float> {
    guard properties.measure == .opticRay, let rays else { return storedValues }
    var result = storedValues
    let isDepth = properties.quantity == .depth
    for y in 0..<result.height {
      var row = result.mutableRow(y)
      let dy = (Double(y) - rays.cy) / rays.fy
      for x in row.indices {
        let dx = (Double(x) - rays.cx) / rays.fx
        // The length of the ray to a point at depth 1.
        let length = Float((1 + dx * dx + dy * dy).squareRoot())
        row[x] = isDepth ? row[x] / length : row[x] * length
      }
    }
    return result
  }

  /// The camera, if it defines rays.
  private var rays: Intrinsics? { intrinsics.flatMap { $0.fx > 0 && $0.fy > 0 ? $0 : nil } }

  private var storedValues: Plane<Float> {
    if samples.format == .grayFloat { return samples.plane(as: Float.self) }
    // The initialiser has checked the line.
    let line = (first: properties.first ?? 0, last: properties.last ?? 0)
    let span = Double(properties.codes.upperBound - properties.codes.lowerBound)
    func value(_ code: Int) -> Float {
      let part = Double(code - properties.codes.lowerBound) / span
      return Float(line.first + min(max(part, 0), 1) * (line.last - line.first))
    }
    let values = (0...(samples.format == .gray8 ? 255 : 65_535)).map(value)
    return samples.format == .gray8
      ? samples.plane(as: UInt8.self).map { values[Int($0)] } : samples.plane(as: UInt16.self).map { values[Int($0)] }
  }

  /// The camera, for pictures of the map's own size.
  private var intrinsics: Intrinsics? {
    properties.calibration?.intrinsics.scaled(toWidth: width, height: height)
  }

  /// The map as disparity in 1/metre; the inverse of stored depth.
  public var disparity: DisparityMap {
    switch properties.quantity {
    case .disparity: DisparityMap(perMetre: values, accuracy: properties.accuracy, intrinsics: intrinsics)
    case .depth:
      DisparityMap(
        perMetre: DepthMap(metres: values).disparity.perMetre, accuracy: properties.accuracy, intrinsics: intrinsics)
    }
  }

  /// The map as depth in metres; the inverse of stored disparity, with holes where that is not positive.
  ///
  /// With relative accuracy the order is right but the distances are not.
  public var depth: DepthMap {
    switch properties.quantity {
    case .depth: DepthMap(metres: values, intrinsics: intrinsics)
    case .disparity: disparity.depth
    }
  }

  package var auxiliary: AuxiliaryImage {
    let sure = confidence.map { DecodedPicture(Image(gray: ConfidenceMap(parts: $0).values)) }
    return AuxiliaryImage(.depth, DecodedPicture(samples), depth: properties, confidence: sure)
  }
}

extension BackdropError {
  /// The same error for a depth's confidence, which is left out.
  var ofConfidence: BackdropError {
    BackdropError(kind, "Backdrop leaves out the depth's confidence: \(message)", path: path, hint: hint)
  }
}
