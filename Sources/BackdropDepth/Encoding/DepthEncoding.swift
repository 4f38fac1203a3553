import BackdropImaging

/// How depth or disparity numbers lie in a raw file or in a 16-bit picture.
public struct DepthEncoding: Sendable, Codable, Equatable {
  /// The kind of number.
  public enum Sample: String, Sendable, Codable, CaseIterable {
    /// Unsigned 16-bit whole numbers; 0 is a hole, and so is 65535 of a sensor's depth.
    case uint16
    /// IEEE 754 binary16.
    case float16
    /// IEEE 754 binary32.
    case float32

    /// Bytes of one number.
    public var byteCount: Int { self == .float32 ? 4 : 2 }
  }

  /// The kind of number.
  public var sample: Sample
  /// The size of one unit in metres (for disparity: in 1/metre).
  public var metresPerUnit: Double
  /// Whether the most significant byte comes first.
  public var isBigEndian: Bool

  /// Makes an encoding; numbers are metres and little-endian unless said otherwise.
  public init(_ sample: Sample, metresPerUnit: Double = 1, isBigEndian: Bool = false) {
    self.sample = sample
    self.metresPerUnit = metresPerUnit
    self.isBigEndian = isBigEndian
  }

  /// Makes an encoding from how many units a metre has: 5000 for the TUM RGB-D benchmark, 1000 for millimetres.
  public init(_ sample: Sample, unitsPerMetre: Double, isBigEndian: Bool = false) {
    self.init(sample, metresPerUnit: 1 / unitsPerMetre, isBigEndian: isBigEndian)
  }

  /// The numbers of a raw file as they are, times ``metresPerUnit``; what is not positive and finite becomes NaN.
  ///
  /// - Parameters:
  ///   - bytes: the stored numbers.
  ///   - width: pixels in a row.
  ///   - height: rows of pixels.
  ///   - bytesPerRow: bytes from the start of a row to the start of the next; without it rows follow each other
  ///     without a gap.
  ///   - fullScaleIsHole: whether 65535 of whole numbers stands for nothing, as in depth of sensors.
  ///   - limits: the largest pictures that are read.
  /// - Throws: `wrongArgument` for a scale that is not positive and finite or rows that overlap, `overLimit` for a size
  ///   beyond `limits`, `badData` if the bytes are not exactly as many as the size says.
  public func decode(
    _ bytes: Span<UInt8>, width: Int, height: Int, bytesPerRow: Int? = nil, fullScaleIsHole: Bool = true,
    limits: ImageLimits = .standard
  ) throws(BackdropError) -> Plane<Float> {
    let scale = try checkedScale()
    try limits.check(width: width, height: height)
    let rowBytes = width * sample.byteCount
    let stride = bytesPerRow ?? rowBytes
    guard stride >= rowBytes && stride <= 1 << 30 else {
      throw BackdropError(
        .wrongArgument, "a row of \(stride) bytes does not fit \(width) numbers of \(sample.byteCount) bytes")
    }
    // The padding after the last row may be missing.
    let least = stride * (height - 1) + rowBytes
    guard bytes.count == stride * height || bytes.count == least else {
      throw BackdropError(
        .badData, "expected \(stride * height) bytes for \(width)×\(height) \(sample.rawValue), found \(bytes.count)",
        hint: "check the size and the kind of number")
    }
    var result = Plane<Float>(uninitializedWidth: width, height: height)
    for y in 0..<height {
      let from = bytes.extracting(y * stride..<y * stride + rowBytes)
      var to = result.mutableRow(y)
      from.withUnsafeBytes { raw in
        switch (sample, isBigEndian) {
        case (.uint16, false): for x in to.indices { to[x] = Self.sample(word(raw, x), fullScaleIsHole) * scale }
        case (.uint16, true):
          for x in to.indices { to[x] = Self.sample(word(raw, x).byteSwapped, fullScaleIsHole) * scale }
        case (.float16, false): for x in to.indices { to[x] = Self.sample(half: word(raw, x)) * scale }
        case (.float16, true): for x in to.indices { to[x] = Self.sample(half: word(raw, x).byteSwapped) * scale }
        case (.float32, false): for x in to.indices { to[x] = Float(bitPattern: long(raw, x)) * scale }
        case (.float32, true): for x in to.indices { to[x] = Float(bitPattern: long(raw, x).byteSwapped) * scale }
        }
      }
      for x in to.indices { to[x] = to[x].positiveOrHole }
    }
    return result
  }

  @inline(__always)
  private func word(_ raw: UnsafeRawBufferPointer, _ index: Int) -> UInt16 {
    UInt16(littleEndian: raw.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
  }

  @inline(__always)
  private func long(_ raw: UnsafeRawBufferPointer, _ index: Int) -> UInt32 {
    UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
  }

  /// A sensor's whole number, of which 65535 is a hole.
  @inline(__always)
  static func sample(_ units: UInt16, _ fullScaleIsHole: Bool = true) -> Float {
    units == .max && fullScaleIsHole ? DepthHole.fullScale.value : Float(units)
  }

  /// The value of an IEEE 754 binary16 if it is positive and finite, a hole otherwise.
  ///
  /// Exponent and mantissa are moved into place and the exponent's bias is mended: no instruction that only newer CPUs
  /// have, and subnormals come out right.
  @inline(__always)
  static func sample(half bits: UInt16) -> Float {
    let value = Float(bitPattern: UInt32(bits) << 13) * 0x1p112
    return bits &- 1 < 0x7BFF ? value : hole(half: bits)
  }

  private static func hole(half bits: UInt16) -> Float {
    switch bits & 0x7FFF {
    case 0: DepthHole.zero.value
    case 0x7C00: DepthHole.infinite.value
    case 0x7C01...: .nan
    default: DepthHole.negative.value
    }
  }

  /// ``metresPerUnit``, checked.
  ///
  /// - Throws: `wrongArgument` if it is not positive and finite.
  package func checkedScale() throws(BackdropError) -> Float {
    let scale = Float(metresPerUnit)
    guard scale > 0 && scale < .infinity else {
      throw BackdropError(
        .wrongArgument, "the depth scale must be positive and finite, not \(1 / metresPerUnit) units per metre",
        hint: "use 5000 for TUM recordings, 1000 for millimetres")
    }
    return scale
  }
}
