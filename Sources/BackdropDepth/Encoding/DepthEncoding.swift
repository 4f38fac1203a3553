import BackdropImaging

/// The format of depth or disparity values in a raw file or a 16-bit picture.
package struct DepthEncoding: Sendable, Codable, Equatable {
  package enum Sample: String, Sendable, Codable, CaseIterable {
    /// Unsigned 16-bit whole numbers; 0 and 65535 are holes.
    case uint16
    case float16
    case float32

    package var byteCount: Int { self == .float32 ? 4 : 2 }
  }

  package var sample: Sample
  /// The size of one unit in metres (for disparity: in 1/metre).
  package var metresPerUnit: Double
  package var isBigEndian: Bool

  package init(_ sample: Sample, metresPerUnit: Double = 1, isBigEndian: Bool = false) {
    self.sample = sample
    self.metresPerUnit = metresPerUnit
    self.isBigEndian = isBigEndian
  }

  /// Makes an encoding from a number of units per metre: 5000 for the TUM RGB-D benchmark, 1000 for millimetres.
  package init(_ sample: Sample, unitsPerMetre: Double, isBigEndian: Bool = false) {
    self.init(sample, metresPerUnit: 1 / unitsPerMetre, isBigEndian: isBigEndian)
  }

  /// The values of a raw file, times ``metresPerUnit``; values that are not positive and finite become NaN.
  ///
  /// - Parameter bytesPerRow: bytes from the start of a row to the start of the next; by default rows have no gap.
  /// - Throws: `wrongArgument` for a scale that is not positive and finite or rows that overlap, `overLimit` for a size
  ///   beyond `limits`, `badData` if the number of bytes does not match the size.
  package func decode(
    _ bytes: Span<UInt8>, width: Int, height: Int, bytesPerRow: Int? = nil, limits: ImageLimits = .standard
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
    if sample == .uint16 {
      // The size was checked, and is not 0.
      bytes.withUnsafeBytes { decodeUnits($0.baseAddress!, stride, scale, into: &result) }
      return result
    }
    for y in 0..<height {
      let from = bytes.extracting(y * stride..<y * stride + rowBytes)
      var to = result.mutableRow(y)
      from.withUnsafeBytes { raw in
        switch (sample, isBigEndian) {
        case (.uint16, _): break
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

  /// Decodes sensors' integers in a loop that the compiler vectorizes; rows are `stride` bytes apart, and a unit is `scale` metres.
  func decodeUnits(_ source: UnsafeRawPointer, _ stride: Int, _ scale: Float, into result: inout Plane<Float>) {
    let (zero, full) = (DepthHole.zero.value, DepthHole.fullScale.value)
    let (width, height, targetStride, swaps) = (result.width, result.height, result.stride, isBigEndian)
    // With other scales, products may leave Float's range and become holes.
    let isOrdinary = scale >= .leastNormalMagnitude && scale * 65_535 < .infinity
    result.withUnsafeMutablePointer { target in
      for y in 0..<height {
        let (from, to) = (source + y * stride, target + y * targetStride)
        for x in 0..<width {
          let stored = UInt16(littleEndian: from.loadUnaligned(fromByteOffset: 2 * x, as: UInt16.self))
          let units = swaps ? stored.byteSwapped : stored
          let metres = units == .max ? full : Float(units) * scale
          to[x] = units == 0 ? zero : metres
        }
        if !isOrdinary { for x in 0..<width { to[x] = to[x].positiveOrHole } }
      }
    }
  }

  @inline(__always)
  private func word(_ raw: UnsafeRawBufferPointer, _ index: Int) -> UInt16 {
    UInt16(littleEndian: raw.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
  }

  @inline(__always)
  private func long(_ raw: UnsafeRawBufferPointer, _ index: Int) -> UInt32 {
    UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
  }

  /// The value of an IEEE 754 binary16 if it is positive and finite, a hole otherwise.
  ///
  /// The bits of exponent and mantissa are moved into place and the exponent's bias is corrected. This needs no
  /// instruction of newer CPUs, and handles subnormals.
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
