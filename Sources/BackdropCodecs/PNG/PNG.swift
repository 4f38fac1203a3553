import BackdropImaging
import CSPNG

/// Reads and writes PNG files (PNG specification, third edition) with libspng.
///
/// It reads all colour types, bit depths and interlacing. Samples stay as stored; ``/BackdropImaging/ColorDescription/space`` names their
/// colours.
public enum PNG {
  /// The memory limit for a file's text and profile chunks, and for one of them.
  static let cacheLimit = 64 << 20
  static let chunkLimit = 16 << 20

  /// Decodes a whole PNG file.
  ///
  /// Grey without transparency becomes `gray8` (1, 2, 4, 8 bits) or `gray16` (16 bits, host byte order); everything else becomes `rgba8`,
  /// with 16-bit samples rounded to 8. ``/BackdropImaging/Image/alpha`` is `straight` if the file has an alpha channel or a transparent
  /// colour, else `opaque`. Its colours are those of the first existing chunk of `cICP`, `iCCP`, `sRGB`, `gAMA` and `cHRM`; sRGB without
  /// any. ``/BackdropImaging/Image/orientation`` gets the EXIF orientation, which is not applied.
  ///
  /// - Parameter mapsTones: whether colours of a high dynamic range become sRGB (``/BackdropImaging/ToneMapping``).
  /// - Throws: `overLimit` from the header, before memory is allocated; `badData` if a checksum is wrong or anything is missing up to the
  ///   end chunk. A partial picture is never returned.
  package static func decode(
    _ bytes: [UInt8], mapsTones: Bool = false, limits: ImageLimits = .standard
  ) throws(BackdropError) -> Image {
    try PictureFormat.png.decode(bytes.span, mapsTones: mapsTones, limits: limits)
  }

  static func decode(
    _ buffer: UnsafeRawBufferPointer, _ context: OpaquePointer, _ mapsTones: Bool, _ limits: ImageLimits
  ) throws(BackdropError) -> Image {
    try checkIsWhole(buffer)
    try check(spng_set_png_buffer(context, buffer.baseAddress, buffer.count))
    try check(spng_set_chunk_limits(context, chunkLimit, cacheLimit))
    // Otherwise libspng would silently drop a damaged transparency chunk.
    try check(spng_set_crc_action(context, Int32(SPNG_CRC_ERROR.rawValue), Int32(SPNG_CRC_ERROR.rawValue)))
    var header = spng_ihdr()
    try check(spng_get_ihdr(context, &header))
    try limits.check(width: Int(header.width), height: Int(header.height))
    let width = Int(header.width)

    var transparent = spng_trns()
    let transparency = spng_get_trns(context, &transparent)
    if transparency != SPNG_ECHUNKAVAIL.rawValue { try check(transparency) }
    let hasTransparency = transparency == 0
    let colorType = UInt32(header.color_type)
    let isGrey = colorType == SPNG_COLOR_TYPE_GRAYSCALE.rawValue && !hasTransparency
    let hasAlpha =
      hasTransparency || colorType == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA.rawValue
      || colorType == SPNG_COLOR_TYPE_TRUECOLOR_ALPHA.rawValue
    let isDeep = header.bit_depth == 16

    let format: PixelFormat = isGrey ? (isDeep ? .gray16 : .gray8) : .rgba8
    let space = colorSpace(buffer, context, isGray: header.color_type & 2 == 0)
    let tones = mapsTones && !isGrey ? ToneMapping(from: space) : nil
    let reduces = (isDeep || tones != nil) && !isGrey
    let stored = isGrey ? (isDeep ? SPNG_FMT_PNG : SPNG_FMT_G8) : reduces ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8
    let flags = hasTransparency ? SPNG_DECODE_TRNS.rawValue : 0
    try check(
      spng_decode_image(context, nil, 0, Int32(stored.rawValue), Int32(flags | SPNG_DECODE_PROGRESSIVE.rawValue)))

    var image = Image(
      format, width: width, height: Int(header.height), color: .jpeg.with(space), alpha: hasAlpha ? .straight : .opaque)
    let layout = image.layout(0)
    var wide = [UInt16](repeating: 0, count: reduces ? width * 4 : 0)
    var deep = tones.map { _ in Plane<UInt16>(repeating: 0, width: width * 4, height: layout.rows) }
    let isInterlaced = header.interlace_method != 0
    try image.withUnsafeMutableBytes { base throws(BackdropError) in
      var info = spng_row_info()
      while true {
        let more = spng_get_row_info(context, &info)
        if more == SPNG_EOI.rawValue { break }
        try check(more)
        guard Int(info.row_num) < layout.rows else { throw BackdropError(.badData, "the PNG has too many rows") }
        let row = base + Int(info.row_num) * layout.bytesPerRow
        let status: Int32
        if reduces {
          status = spng_decode_row(context, &wide, wide.count * 2)
          let pass = isInterlaced ? Int(info.pass) : 6
          let columns = stride(from: Adam7.firstColumn[pass], to: width, by: Adam7.columnStep[pass])
          if deep != nil {
            for x in columns { for i in 4 * x..<4 * x + 4 { deep?[i, Int(info.row_num)] = wide[i] } }
          }
          reduce(wide, columns, to: row)
        } else {
          status = spng_decode_row(context, row, layout.rowBytes)
        }
        // The last row reports the end of the image.
        if status == SPNG_EOI.rawValue { break }
        try check(status)
      }
    }
    try check(spng_decode_chunks(context))
    if let tones, let deep { return image.with(tones.image(pixels: deep, channels: 4)) }
    return image
  }

  /// Follows the chunks to the end chunk, which libspng does not require.
  private static func checkIsWhole(_ file: UnsafeRawBufferPointer) throws(BackdropError) {
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    guard file.count >= signature.count, file.prefix(signature.count).elementsEqual(signature) else {
      throw BackdropError(.badData, "this is not a PNG picture", hint: "give a \(PictureFormat.fileExtensions) file")
    }
    guard PNGChunks(file).contains(where: { $0.name == "IEND" && $0.isWhole }) else {
      return try check(SPNG_IO_EOF.rawValue)
    }
  }

  /// The columns of the seven passes of an interlaced picture (PNG specification, section 8.1).
  private enum Adam7 {
    static let firstColumn = [0, 4, 0, 2, 0, 1, 0]
    static let columnStep = [8, 8, 4, 4, 2, 2, 1]
  }

  /// 16 to 8 bits, to the nearest: v · 255 / 65535 = v / 257.
  private static func reduce(_ wide: [UInt16], _ columns: StrideTo<Int>, to row: UnsafeMutableRawPointer) {
    for x in columns {
      for i in 4 * x..<4 * x + 4 {
        row.storeBytes(of: UInt8((UInt32(wide[i]) + 128) / 257), toByteOffset: i, as: UInt8.self)
      }
    }
  }

  static func check(_ status: Int32) throws(BackdropError) {
    guard status != 0 else { return }
    let early = [SPNG_IO_EOF.rawValue, SPNG_EIDAT_TOO_SHORT.rawValue, SPNG_EOF.rawValue]
    if early.contains(status) {
      throw BackdropError(damaged: "the PNG ends early")
    }
    let reason = String(cString: spng_strerror(status))
    switch status {
    case Int32(SPNG_ECHUNK_CRC.rawValue): throw BackdropError(damaged: "the PNG is damaged (a checksum is wrong)")
    case Int32(SPNG_ECHUNK_LIMITS.rawValue):
      throw BackdropError(
        .overLimit, "the texts and profile of the PNG are over \(chunkLimit) bytes, alone or together")
    case Int32(SPNG_EMEM.rawValue), Int32(SPNG_EZLIB_INIT.rawValue):
      throw BackdropError(.system, "libspng ran out of memory")
    default: throw BackdropError(damaged: "the PNG is damaged (\(reason))")
    }
  }
}
