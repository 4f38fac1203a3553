import BackdropImaging

/// Portable FloatMap: one 32-bit float per pixel, bottom row first (Paul Debevec's format, from the description of the
/// Middlebury stereo benchmark: `Pf`, width and height, a scale whose sign gives the byte order, then the rows).
package enum PFM {
  /// A grey map as a file, little-endian, of scale 1; holes stay NaN.
  package static func encode(_ plane: Plane<Float>) -> [UInt8] {
    var bytes = Array("Pf\n\(plane.width) \(plane.height)\n-1.0\n".utf8)
    bytes.reserveCapacity(bytes.count + plane.width * plane.height * 4)
    for y in (0..<plane.height).reversed() {
      bytes.append(littleEndian: plane.row(y))
    }
    return bytes
  }

  package static func isPFM(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "Pf\n".utf8) || bytes.starts(with: "PF\n".utf8) || bytes.starts(with: "Pf ".utf8)
  }

  /// The values of a grey file, unscaled: the sign of the scale gives the byte order, and its magnitude has no effect.
  package static func decode(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(BackdropError) -> Plane<Float> {
    let damaged = BackdropError(damaged: "the PFM header is damaged")
    var position = 0
    func word() throws(BackdropError) -> String {
      while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
      let start = position
      while position < bytes.count, position - start < 32, bytes[position] > 0x20 { position += 1 }
      guard position > start, position < bytes.count, bytes[position] <= 0x20 else { throw damaged }
      return String(decoding: bytes[start..<position], as: UTF8.self)
    }
    switch try word() {
    case "Pf": break
    case "PF": throw BackdropError(.unsupported, "this PFM is in colour", hint: "give a PFM with one channel (Pf)")
    default: throw BackdropError(.badData, "this is not a PFM file", hint: "give a file that begins with Pf")
    }
    guard let width = Int(try word()), let height = Int(try word()), let scale = Double(try word()), scale != 0,
      scale.isFinite
    else { throw damaged }
    try limits.check(width: width, height: height)
    // One whitespace character ends the header.
    let start = position + 1
    guard bytes.count - start == width * height * 4 else {
      throw BackdropError(
        damaged:
          "expected \(width * height * 4) bytes for \(width)×\(height) floats, found \(max(0, bytes.count - start))")
    }
    var result = Plane<Float>(uninitializedWidth: width, height: height)
    bytes.withUnsafeBytes { raw in
      for y in 0..<height {
        var row = result.mutableRow(height - 1 - y)
        for x in row.indices {
          let bits = raw.loadUnaligned(fromByteOffset: start + 4 * (y * width + x), as: UInt32.self)
          row[x] = Float(bitPattern: scale < 0 ? UInt32(littleEndian: bits) : UInt32(bigEndian: bits))
        }
      }
    }
    return result
  }
}
