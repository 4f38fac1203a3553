import BackdropDepth
import BackdropImaging

extension PhotoDepth {
  /// Disparity in its storage form.
  ///
  /// Integers extend from the smallest to the largest value of the map, so a value is off by at most (largest −
  /// smallest) / (2 · 255), or / (2 · 65535). Integers have no holes: a hole becomes the smallest value, the farthest.
  /// A map of one value, or of holes only, gets code 0 everywhere.
  public init(_ map: DisparityMap, as sample: DepthProperties.Sample = .uint8, calibration: CameraCalibration? = nil) {
    self.init(storing: map, DepthProperties(.disparity, sample, accuracy: map.accuracy, calibration: calibration))
  }

  /// Depth in its storage form; a hole becomes the largest value, the farthest. See ``init(_:as:calibration:)``.
  public init(
    _ map: DepthMap, as sample: DepthProperties.Sample = .uint16, accuracy: DisparityMap.Accuracy = .absolute,
    calibration: CameraCalibration? = nil
  ) {
    self.init(storing: map, DepthProperties(.depth, sample, accuracy: accuracy, calibration: calibration))
  }

  /// The same depth with another sample type, rounded if that has fewer bits.
  public func stored(as sample: DepthProperties.Sample) -> PhotoDepth {
    // Depth along rays is stored along the axis if the rays are known.
    let isMoved = properties.measure == .opticRay && isAlongAxis
    guard sample != properties.sample || isMoved else { return self }
    let stored =
      switch properties.quantity {
      case .disparity: PhotoDepth(disparity, as: sample)
      case .depth: PhotoDepth(depth, as: sample)
      }
    var merged = properties
    if isMoved { merged.measure = .opticalAxis }
    (merged.sample, merged.codes) = (stored.properties.sample, stored.properties.codes)
    (merged.first, merged.last) = (stored.properties.first, stored.properties.last)
    var result = PhotoDepth(trusted: stored.samples, merged)
    result.confidence = confidence
    return result
  }

  /// The same depth turned upright from a stored orientation, including its calibration's intrinsics.
  ///
  /// Extrinsics and distortion belong to the sensor and stay.
  public func oriented(_ orientation: Orientation) -> PhotoDepth {
    guard orientation != .up else { return self }
    var turned = samples
    turned.orientation = orientation
    var properties = properties
    properties.calibration = properties.calibration?.oriented(orientation)
    var result = PhotoDepth(trusted: turned.upright(), properties)
    result.confidence = confidence?.oriented(orientation)
    return result
  }

  private init(trusted samples: Image, _ properties: DepthProperties) {
    self.samples = samples
    self.properties = properties
  }

  /// A hole becomes the farthest value.
  private init(storing map: some RangeMap, _ description: DepthProperties) {
    var properties = description
    guard !properties.sample.isFloat else {
      let isHalf = properties.sample == .float16
      self.init(trusted: Image(grayFloat: isHalf ? map.values.map { $0.roundedToHalf } : map.values), properties)
      return
    }
    let extent = map.extent ?? 0...0
    let (low, high) = (Double(extent.lowerBound), Double(extent.upperBound))
    (properties.first, properties.last) = (low, high)
    let greatest = Double(properties.sample.greatestCode)
    let scale = high > low ? greatest / (high - low) : 0
    let hole = properties.quantity == .depth && high > low ? Int(greatest) : 0
    func code(_ value: Float) -> Int {
      value.isNaN ? hole : Int(min(max((Double(value) - low) * scale, 0), greatest).rounded())
    }
    let values = map.values
    let image =
      properties.sample == .uint8
      ? Image(gray: values.map { UInt8(code($0)) }) : Image(gray16: values.map { UInt16(code($0)) })
    self.init(trusted: image, properties)
  }
}

extension Float {
  /// The nearest value of IEEE 754 binary16, ties to even; beyond its range infinite, NaN stays.
  var roundedToHalf: Float {
    guard isFinite else { return self }
    let size = magnitude
    // 65520 is halfway between the largest half and the next value.
    guard size < 65_520 else { return self < 0 ? -.infinity : .infinity }
    // Eleven significant bits, and none below 2^-24.
    let unit = Float(sign: .plus, exponent: Swift.max(size == 0 ? -24 : size.exponent - 10, -24), significand: 1)
    return (self / unit).rounded(.toNearestOrEven) * unit
  }
}
