import BackdropImaging

extension DepthMap {
  /// A map from a raw file's bytes.
  ///
  /// - Throws: as ``DepthEncoding/decode(_:width:height:bytesPerRow:limits:)``.
  package init(
    decoding bytes: Span<UInt8>, as encoding: DepthEncoding, width: Int, height: Int, bytesPerRow: Int? = nil,
    intrinsics: Intrinsics? = nil, isRegistered: Bool = true, limits: ImageLimits = .standard
  ) throws(BackdropError) {
    let metres = try encoding.decode(bytes, width: width, height: height, bytesPerRow: bytesPerRow, limits: limits)
    self.init(checked: metres, intrinsics: intrinsics, isRegistered: isRegistered)
  }

  /// A map from integers, as in sensors' 16-bit depth pictures; 0 and 65535 are holes.
  ///
  /// - Throws: `wrongArgument` for a scale that is not positive and finite.
  public init(
    units: Plane<UInt16>, unitsPerMetre: Double, intrinsics: Intrinsics? = nil, isRegistered: Bool = true
  ) throws(BackdropError) {
    let encoding = DepthEncoding(.uint16, unitsPerMetre: unitsPerMetre)
    let scale = try encoding.checkedScale()
    var metres = Plane<Float>(uninitializedWidth: units.width, height: units.height)
    units.withUnsafePointer {
      encoding.decodeUnits($0, units.stride * MemoryLayout<UInt16>.stride, scale, into: &metres)
    }
    self.init(checked: metres, intrinsics: intrinsics, isRegistered: isRegistered)
  }

  /// A map from 16-bit integers in float form; 0 and 65535 are holes.
  ///
  /// - Throws: `wrongArgument` for a scale that is not positive and finite.
  package init(wholeNumbers: Plane<Float>, unitsPerMetre: Double) throws(BackdropError) {
    let scale = try DepthEncoding(.uint16, unitsPerMetre: unitsPerMetre).checkedScale()
    let metres = wholeNumbers.map { (($0 == 65_535 ? DepthHole.fullScale.value : $0) * scale).positiveOrHole }
    self.init(checked: metres, intrinsics: nil, isRegistered: true)
  }

  /// A map from metres as bit patterns of IEEE 754 binary16; values that are not positive and finite are holes.
  public init(halves: Plane<UInt16>, intrinsics: Intrinsics? = nil, isRegistered: Bool = true) {
    let metres = halves.map { DepthEncoding.sample(half: $0) }
    self.init(checked: metres, intrinsics: intrinsics, isRegistered: isRegistered)
  }

  /// The map as rounded integers, with holes as 0.
  ///
  /// Values that do not fit into 16 bits become holes too: a saturated value would be a wrong distance. 65535 is no distance either.
  /// - Throws: `wrongArgument` for a scale that is not positive and finite.
  public func units(perMetre unitsPerMetre: Double) throws(BackdropError) -> Plane<UInt16> {
    _ = try DepthEncoding(.uint16, unitsPerMetre: unitsPerMetre).checkedScale()
    let scale = Float(unitsPerMetre)
    return metres.map { metres in
      let value = metres * scale + 0.5
      return value < 65_535 ? UInt16(value) : 0
    }
  }

  /// ``units(perMetre:)`` as a ``/BackdropImaging/PixelFormat/gray16`` image, for a 16-bit picture file.
  ///
  /// - Throws: as ``units(perMetre:)``.
  public func image(unitsPerMetre: Double) throws(BackdropError) -> Image {
    Image(gray16: try units(perMetre: unitsPerMetre))
  }
}
