import BackdropDepth
import BackdropImaging

extension PhotoDepth {
  /// Disparity made ready to be stored.
  ///
  /// Whole numbers run from the least to the greatest value of the map, so a value is off by at most
  /// (greatest − least) / (2 · 255), or / (2 · 65535). Whole numbers have no holes: a hole becomes the least value, the
  /// farthest. A map of one value, or of holes only, gets code 0 everywhere.
  public init(
    _ map: DisparityMap, as sample: DepthProperties.Sample = .uint8, calibration: CameraCalibration? = nil
  ) {
    var properties = DepthProperties(.disparity, sample, accuracy: map.accuracy, calibration: calibration)
    samples = Self.stored(map, holesAreGreatest: false, &properties)
    self.properties = properties
  }

  /// Depth made ready to be stored; a hole becomes the greatest value, the farthest. See ``init(_:as:calibration:)``.
  public init(
    _ map: DepthMap, as sample: DepthProperties.Sample = .uint16, accuracy: DisparityMap.Accuracy = .absolute,
    calibration: CameraCalibration? = nil
  ) {
    var properties = DepthProperties(.depth, sample, accuracy: accuracy, calibration: calibration)
    samples = Self.stored(map, holesAreGreatest: true, &properties)
    self.properties = properties
  }

  /// The same depth in other samples, rounded where those have fewer bits.
  public func stored(as sample: DepthProperties.Sample) -> PhotoDepth {
    // Depth along rays that can be told is stored along the axis.
    let isMoved = properties.measure == .opticRay && isAlongAxis
    guard sample != properties.sample || isMoved else { return self }
    var result =
      switch properties.quantity {
      case .disparity: PhotoDepth(disparity, as: sample)
      case .depth: PhotoDepth(depth, as: sample)
      }
    var merged = properties
    if isMoved { merged.measure = .opticalAxis }
    merged.sample = result.properties.sample
    merged.codes = result.properties.codes
    merged.first = result.properties.first
    merged.last = result.properties.last
    result = PhotoDepth(trusted: result.samples, merged)
    result.confidence = confidence
    return result
  }

  /// The same depth turned upright from a stored orientation, its calibration's intrinsics turned along.
  ///
  /// Extrinsics and distortion are those of the sensor and stay.
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

  private static func stored(
    _ map: some RangeMap, holesAreGreatest: Bool, _ properties: inout DepthProperties
  ) -> Image {
    guard !properties.sample.isFloat else { return floats(map, asHalves: properties.sample == .float16) }
    let extent = map.extent ?? 0...0
    let (low, high) = (Double(extent.lowerBound), Double(extent.upperBound))
    (properties.first, properties.last) = (low, high)
    let greatest = Double(properties.sample.greatestCode)
    let scale = high > low ? greatest / (high - low) : 0
    let hole = holesAreGreatest && high > low ? Int(greatest) : 0
    func code(_ value: Float) -> Int {
      value.isNaN ? hole : Int(min(max((Double(value) - low) * scale, 0), greatest).rounded())
    }
    let values = map.values
    if properties.sample == .uint8 {
      var codes = Plane<UInt8>(uninitializedWidth: map.width, height: map.height)
      for y in 0..<map.height {
        let from = values.row(y)
        var to = codes.mutableRow(y)
        for x in to.indices { to[x] = UInt8(code(from[x])) }
      }
      return Image(gray: codes)
    }
    var image = Image(.gray16, width: map.width, height: map.height)
    let rowBytes = image.layout(0).bytesPerRow
    image.withUnsafeMutableBytes { base in
      for y in 0..<values.height {
        let from = values.row(y)
        let to = (base + y * rowBytes).assumingMemoryBound(to: UInt16.self)
        for x in from.indices { to[x] = UInt16(code(from[x])) }
      }
    }
    return image
  }

  private static func floats(_ map: some RangeMap, asHalves: Bool) -> Image {
    let values = map.values
    var image = Image(.grayFloat, width: map.width, height: map.height)
    let rowBytes = image.layout(0).bytesPerRow
    image.withUnsafeMutableBytes { base in
      for y in 0..<values.height {
        let from = values.row(y)
        let to = (base + y * rowBytes).assumingMemoryBound(to: Float.self)
        for x in from.indices { to[x] = asHalves ? from[x].roundedToHalf : from[x] }
      }
    }
    return image
  }
}

extension Float {
  /// The nearest value that an IEEE 754 binary16 holds, ties to even; beyond its range infinite, NaN stays.
  var roundedToHalf: Float {
    guard isFinite else { return self }
    let size = magnitude
    // 65520 is halfway between the greatest half and what would come next.
    guard size < 65_520 else { return self < 0 ? -.infinity : .infinity }
    // Eleven significant bits, and none below 2^-24.
    let unit = Float(sign: .plus, exponent: Swift.max(size == 0 ? -24 : size.exponent - 10, -24), significand: 1)
    return (self / unit).rounded(.toNearestOrEven) * unit
  }
}
