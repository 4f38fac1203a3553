import BackdropImaging

/// OpenEXR files of depth: one channel of Float16, Float32 or integers in scan lines, uncompressed or with ZIP
/// (openexr.com, "OpenEXR File Layout"), as apps export distances.
///
/// Rejects tiles, deep samples, several parts, and other compressions (RLE, PIZ, PXR24, B44, DWA), with an error that
/// names them.
package enum EXR {
  /// The samples of a channel: the first of `Z`, `R`, `Y`, `V` or `A` that exists, else the first one.
  ///
  /// - Throws: `unsupported` for unsupported kinds, `badData` for a damaged file, `overLimit` beyond `limits`.
  package static func decode(
    _ bytes: Span<UInt8>, limits: ImageLimits = .standard
  ) throws(BackdropError) -> Plane<Float> {
    var reader = Reader(bytes)
    let header = try EXRHeader(&reader)
    try limits.check(width: header.width, height: header.height)
    guard let channel = header.best else { throw damaged("it has no channels") }
    let lineBytes = header.bytesPerPixel * header.width
    let blocks = (header.height + header.linesPerBlock - 1) / header.linesPerBlock
    // Each block has an offset and a header, so the file must have this many bytes for them.
    guard reader.rest >= 16 * blocks, lineBytes <= 1 << 28 else { throw damaged("it ends too early") }
    var result = Plane<Float>(repeating: .nan, width: header.width, height: header.height)
    for _ in 0..<blocks {
      let offset = try reader.number(8)
      var block = try reader.moved(to: offset)
      let top = try block.number(4) - header.top
      let count = try block.number(4)
      guard top >= 0, top < header.height, top % header.linesPerBlock == 0 else {
        throw damaged("a block is elsewhere")
      }
      let lines = min(header.linesPerBlock, header.height - top)
      let samples = try header.unpacked(try block.bytes(count), lines * lineBytes)
      for line in 0..<lines {
        let start = line * lineBytes + channel.offset * header.width
        var row = result.mutableRow(top + line)
        samples.withUnsafeBytes { raw in
          for x in row.indices { row[x] = channel.kind.sample(raw, start + x * channel.kind.byteCount) }
        }
      }
    }
    return result
  }

  static func damaged(_ reason: String) -> BackdropError {
    BackdropError(.badData, "the OpenEXR file is damaged (\(reason))", hint: "export or copy the file again")
  }

  struct Reader: ~Escapable {
    let all: Span<UInt8>
    var position = 0

    @_lifetime(copy all)
    init(_ all: Span<UInt8>) { self.all = all }

    var rest: Int { all.count - position }

    @_lifetime(self: copy self)
    mutating func number(_ count: Int) throws(BackdropError) -> Int {
      guard rest >= count else { throw EXR.damaged("it ends too early") }
      var result: UInt64 = 0
      for index in 0..<count { result |= UInt64(all[position + index]) << UInt64(8 * index) }
      position += count
      return count == 4 ? Int(Int32(truncatingIfNeeded: result)) : Int(truncatingIfNeeded: result)
    }

    @_lifetime(self: copy self)
    mutating func bytes(_ count: Int) throws(BackdropError) -> [UInt8] {
      guard count >= 0 && count <= rest else { throw EXR.damaged("it ends too early") }
      let start = position
      position += count
      return [UInt8](unsafeUninitializedCapacity: count) { target, used in
        for index in 0..<count { target[index] = all[start + index] }
        used = count
      }
    }

    /// Text up to a zero byte.
    @_lifetime(self: copy self)
    mutating func text() throws(BackdropError) -> String {
      var letters: [UInt8] = []
      while true {
        let byte = UInt8(try number(1))
        if byte == 0 { return String(decoding: letters, as: UTF8.self) }
        letters.append(byte)
        guard letters.count <= 255 else { throw EXR.damaged("a name is too long") }
      }
    }

    @_lifetime(copy self)
    func moved(to offset: Int) throws(BackdropError) -> Reader {
      guard offset >= 0 && offset < all.count else { throw EXR.damaged("a block is beyond the end") }
      var result = Reader(all)
      result.position = offset
      return result
    }
  }
}
