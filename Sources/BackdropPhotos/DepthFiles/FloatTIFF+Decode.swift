import BackdropImaging

extension FloatTIFF {
  /// Reads a grey, uncompressed TIFF in strips, with 32-bit floats or 16-bit integers: the form that ``encode(_:description:)`` and other
  /// programs write for depth. Returns the values unchanged, including 16-bit zeros.
  package static func decode(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(BackdropError) -> Numbers {
    let tiff = try TIFFReader(bytes)
    func number(_ tag: Int) throws(BackdropError) -> Int? { try tiff.value(of: tag) }
    guard let width = try number(256), let height = try number(257) else { throw damaged("it has no size") }
    try limits.check(width: width, height: height)
    let (bits, kind) = (try number(258) ?? 1, try number(339) ?? 1)
    guard try (number(259) ?? 1) == 1, try (number(277) ?? 1) == 1, bits == 32 && kind == 3 || bits == 16 && kind == 1
    else {
      throw BackdropError(
        .unsupported, "this TIFF does not hold depth: it has \(bits) bits per sample, kind \(kind)",
        hint: "give one grey channel of uncompressed 32-bit floats or 16-bit numbers")
    }
    let rowBytes = width * bits / 8
    guard rowBytes * height <= bytes.count else { throw damaged("it ends early") }
    let rowsPerStrip = min(max(try number(278) ?? height, 1), height)
    let strips = (height + rowsPerStrip - 1) / rowsPerStrip
    let offsets = try list(273, strips, tiff, bytes)
    var result = Plane<Float>(uninitializedWidth: width, height: height)
    for (strip, offset) in offsets.enumerated() {
      let rows = min(rowsPerStrip, height - strip * rowsPerStrip)
      guard offset >= 0 && offset <= bytes.count - rows * rowBytes else { throw damaged("it ends early") }
      bytes.withUnsafeBytes { raw in
        for y in 0..<rows {
          var row = result.mutableRow(strip * rowsPerStrip + y)
          for x in row.indices {
            let at = offset + y * rowBytes + x * bits / 8
            if bits == 16 {
              let code = raw.loadUnaligned(fromByteOffset: at, as: UInt16.self)
              row[x] = Float(tiff.order == .little ? UInt16(littleEndian: code) : UInt16(bigEndian: code))
            } else {
              let code = raw.loadUnaligned(fromByteOffset: at, as: UInt32.self)
              row[x] = Float(bitPattern: tiff.order == .little ? UInt32(littleEndian: code) : UInt32(bigEndian: code))
            }
          }
        }
      }
    }
    return Numbers(values: result, areWhole: bits == 16)
  }

  /// The contents of a file.
  package struct Numbers: Sendable {
    package var values: Plane<Float>
    /// Whether they are integers, in a unit that the file does not state.
    package var areWhole: Bool
  }

  /// The integers of a tag, which must have `count` of them.
  private static func list(_ tag: Int, _ count: Int, _ tiff: TIFFReader, _ bytes: [UInt8]) throws(BackdropError)
    -> [Int]
  {
    guard let content = try tiff.content(of: tag) else { throw damaged("it has no strips") }
    // There is at most one strip per row, so `count` is small. The length of the value shows the size of each number.
    guard content.count == 4 * count || content.count == 2 * count else {
      throw damaged("its strips do not fit its size")
    }
    var reader = ByteReader(bytes, in: content, order: tiff.order)
    return try (0..<count).map { _ throws(BackdropError) in
      try content.count == 4 * count ? reader.uint32() : reader.uint16()
    }
  }

  private static func damaged(_ what: String) -> BackdropError {
    BackdropError(damaged: "the TIFF is damaged: \(what)")
  }
}
