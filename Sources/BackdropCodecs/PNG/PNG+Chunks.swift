import BackdropImaging
import CSPNG

extension PNG {
  /// The colours of a file's samples; see ``decode(_:mapsTones:limits:)``. No pixel is decoded.
  ///
  /// - Throws: `badData` for a file that is not PNG, or is damaged before its pixels; `overLimit` for chunks of more than 16 MiB.
  static func colorSpace(of file: UnsafeRawBufferPointer) throws(BackdropError) -> ColorSpace {
    try withContext { context throws(BackdropError) in
      try check(spng_set_png_buffer(context, file.baseAddress, file.count))
      try check(spng_set_chunk_limits(context, chunkLimit, cacheLimit))
      var header = spng_ihdr()
      try check(spng_get_ihdr(context, &header))
      return colorSpace(file, context, isGray: header.color_type & 2 == 0)
    }
  }

  static func withContext<Result>(
    _ body: (OpaquePointer) throws(BackdropError) -> Result
  ) throws(BackdropError) -> Result {
    guard let context = spng_ctx_new(0) else { throw BackdropError(.system, "libspng could not start") }
    defer { spng_ctx_free(context) }
    return try body(context)
  }

  /// The colours of the first of these chunks: `cICP`, `iCCP`, `sRGB`, `gAMA` and `cHRM` (section 4.3 has this order). The file has neither
  /// colours nor a palette if `isGray`.
  static func colorSpace(_ file: UnsafeRawBufferPointer, _ context: OpaquePointer, isGray: Bool) -> ColorSpace {
    if let codes = codePoints(in: file) {
      return ColorSpace(primaries: Int(codes[0]), transfer: Int(codes[1]))
    }
    var profile = spng_iccp()
    if spng_get_iccp(context, &profile) == 0 {
      let bytes = Array(UnsafeRawBufferPointer(start: profile.profile, count: profile.profile_len))
      return ColorSpace(icc: bytes, forGray: isGray)
    }
    var intent: UInt8 = 0
    if spng_get_srgb(context, &intent) == 0 { return .sRGB }
    var (gamma, colors) = (0.0, spng_chrm())
    let hasGamma = spng_get_gama(context, &gamma) == 0 && gamma > 0
    let hasColors = !isGray && spng_get_chrm(context, &colors) == 0
    guard hasGamma || hasColors else { return .sRGB }
    let chromaticities = Chromaticities(
      red: (colors.red_x, colors.red_y), green: (colors.green_x, colors.green_y), blue: (colors.blue_x, colors.blue_y),
      white: (colors.white_point_x, colors.white_point_y))
    return ColorSpace(hasColors ? chromaticities : nil, gamma: hasGamma ? 1 / gamma : nil) ?? .sRGB
  }

  /// The content of `cICP` (section 11.3.2.6), which libspng does not support, for R′G′B′ at full range.
  private static func codePoints(in file: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let chunk = PNGChunks(file).first(where: { $0.name == "cICP" || $0.name == "IDAT" }),
      chunk.name == "cICP", chunk.isWhole, chunk.content.count == 4
    else { return nil }
    let codes = Array(file[chunk.content])
    return codes[2] == 0 && codes[3] == 1 ? codes : nil
  }

  /// The data beside the pixels. libspng keeps the addresses of this data until it has written the file.
  final class Chunks {
    private let profile: UnsafeMutableBufferPointer<UInt8>, exif: UnsafeMutableBufferPointer<UInt8>
    private let codes: UnsafeMutableBufferPointer<UInt8>
    /// libspng keeps this address, too.
    private let unknown = UnsafeMutablePointer<spng_unknown_chunk>.allocate(capacity: 1)

    /// Leaves out data that readers reject: a profile for other pictures (ICC.1, section 7.2.6: the colour space in bytes 16 to 19), EXIF
    /// that is not a TIFF structure (CIPA DC-008, section 4.5.2).
    init(_ space: ColorSpace, exif: [UInt8]?, isGray: Bool) {
      func copy(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = memory.initialize(from: bytes)
        return memory
      }
      let profile = space.profileBytes(forGray: isGray) ?? []
      let isFitting = profile.count >= 128 && profile[16..<20].elementsEqual((isGray ? "GRAY" : "RGB ").utf8)
      self.profile = copy(isFitting ? profile : [])
      let exif = exif ?? []
      self.exif = copy(PictureMetadata.isTIFF(exif) ? exif : [])
      // No profile can describe a high dynamic range.
      let codes = space.transfer.isHDR ? space.codePoints : nil
      self.codes = copy(codes.map { [UInt8($0.primaries), UInt8($0.transfer), 0, 1] } ?? [])
    }

    deinit {
      profile.deallocate()
      exif.deallocate()
      codes.deallocate()
      unknown.deallocate()
    }

    func set(_ context: OpaquePointer) throws(BackdropError) {
      if !profile.isEmpty {
        var chunk = spng_iccp()
        withUnsafeMutableBytes(of: &chunk.profile_name) { $0.copyBytes(from: "ICC profile".utf8) }
        chunk.profile_len = profile.count
        chunk.profile = UnsafeMutableRawPointer(profile.baseAddress)?.assumingMemoryBound(to: CChar.self)
        try check(spng_set_iccp(context, &chunk))
      }
      if !exif.isEmpty {
        var chunk = spng_exif()
        chunk.length = exif.count
        chunk.data = UnsafeMutableRawPointer(exif.baseAddress)?.assumingMemoryBound(to: CChar.self)
        try check(spng_set_exif(context, &chunk))
      }
      if !codes.isEmpty {
        var chunk = spng_unknown_chunk()
        withUnsafeMutableBytes(of: &chunk.type) { $0.copyBytes(from: "cICP".utf8) }
        chunk.length = codes.count
        chunk.data = UnsafeMutableRawPointer(codes.baseAddress)
        chunk.location = SPNG_AFTER_IHDR
        unknown.initialize(to: chunk)
        try check(spng_set_unknown_chunks(context, unknown, 1))
      }
    }
  }
}
