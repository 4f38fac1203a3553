import BackdropImaging
import CTIFF

/// Decodes a TIFF page to a picture, strip by strip or tile by tile.
struct TIFFDecoder {
  private let file: TIFFFile
  private let page: TIFFPage
  /// The 8-bit value of each code of a sample; empty if samples keep 16 bits.
  private let levels: [UInt8]
  private let palette: [(UInt8, UInt8, UInt8)]
  private let inks: InkConversion

  init(_ file: TIFFFile, _ page: TIFFPage) {
    self.file = file
    self.page = page
    // Reading reduces samples of 32 bits to 16.
    let greatest = (1 << min(page.bits, 16)) - 1
    let isInverted = page.colors == .gray(isInverted: true)
    levels = (0...greatest).map { code in
      UInt8(((isInverted ? greatest - code : code) * 255 + greatest / 2) / greatest)
    }
    palette = page.colors == .palette ? Self.palette(of: file.page, count: greatest + 1) : []
    let profile = file.page.profile.map {
      Array(UnsafeBufferPointer(start: $0, count: Int(file.page.profile_count)))
    }
    inks = InkConversion(profile: page.colors == .inks ? profile : nil, isInverted: false)
  }

  /// A page's palette. Some programs write 8-bit colours (libtiff's `checkcmap`), others multiply them by 256 or 257: then the upper byte
  /// is right.
  private static func palette(of page: bd_tiff_page, count: Int) -> [(UInt8, UInt8, UInt8)] {
    guard let red = page.red, let green = page.green, let blue = page.blue else { return [] }
    let isShort = (0..<count).allSatisfy { red[$0] < 256 && green[$0] < 256 && blue[$0] < 256 }
    func level(_ code: UInt16) -> UInt8 { isShort ? UInt8(code) : UInt8(code >> 8) }
    return (0..<count).map { (level(red[$0]), level(green[$0]), level(blue[$0])) }
  }

  /// The pixels, `gray8`, `gray16` or `rgba8`, not turned; colours with more than 8 bits are rounded.
  func decode() throws(BackdropError) -> Image {
    if page.colors == .palette && palette.isEmpty { throw TIFFFile.damaged("it has no palette") }
    if page.colors == .subsampled { return try decodeByLibrary() }
    if page.asksForRGB { bd_tiff_want_rgb(file.handle) }
    let format: PixelFormat =
      switch page.colors {
      case .gray where page.alpha == nil: page.bits > 8 ? .gray16 : .gray8
      default: .rgba8
      }
    var image = Image(
      format, width: page.width, height: page.height, color: .jpeg, alpha: page.alpha == nil ? .opaque : .straight)
    let pitch = image.layout(0).bytesPerRow
    try image.withUnsafeMutableBytes { base throws(BackdropError) in
      try forEachRow { x, y, count, codes in
        paint(
          codes, count: count, format, to: base + y * pitch + x * (format == .gray8 ? 1 : format == .gray16 ? 2 : 4))
      }
    }
    return image
  }

  /// Calls `body` for each row of each part, with its column, its row, its number of pixels, and their samples, pixel by pixel.
  private func forEachRow(
    _ body: (_ x: Int, _ y: Int, _ count: Int, _ codes: UnsafePointer<UInt16>) -> Void
  ) throws(BackdropError) {
    var described = bd_tiff_page()
    // The requested conversion may have changed the size of a part.
    guard bd_tiff_describe(file.handle, &described) else { throw TIFFFile.damaged("it has no size") }
    let (width, height) = (Int(described.chunk_width), Int(described.chunk_height))
    // Planes beyond the colours and alpha may be missing.
    let planes = page.isPlanar ? max(page.colors.count, (page.alpha ?? 0) + 1) : 1
    let perPlane = page.isPlanar ? 1 : page.samples
    let rowBytes = (width * perPlane * page.bits + 7) / 8
    let size = Int(described.chunk_bytes)
    guard width > 0, height > 0, rowBytes * height <= size else {
      throw TIFFFile.damaged("it has a part of \(size) bytes for \(width)×\(height) pixels")
    }
    let across = (page.width + width - 1) / width
    let count = across * ((page.height + height - 1) / height)
    guard count * (page.isPlanar ? page.samples : 1) == Int(described.chunk_count) else {
      throw TIFFFile.damaged("its parts do not fit its size")
    }
    let raw = UnsafeMutableRawBufferPointer.allocate(byteCount: size * planes, alignment: 16)
    defer { raw.deallocate() }
    var codes = [UInt16](repeating: 0, count: width * page.samples)
    for chunk in 0..<count {
      let (left, top) = (chunk % across * width, chunk / across * height)
      let rows = min(height, page.height - top)
      for plane in 0..<planes {
        let target = UnsafeMutableRawBufferPointer(rebasing: raw[plane * size..<(plane + 1) * size])
        try decode(UInt32(plane * count + chunk), to: target, atLeast: rows * rowBytes)
      }
      let shown = min(width, page.width - left)
      for y in 0..<rows {
        codes.withUnsafeMutableBufferPointer { codes in
          for plane in 0..<planes {
            let row = UnsafeRawBufferPointer(
              rebasing: raw[plane * size + y * rowBytes..<plane * size + (y + 1) * rowBytes])
            spread(row, count: shown * perPlane, to: codes, from: plane, step: page.isPlanar ? page.samples : 1)
          }
        }
        codes.withUnsafeBufferPointer { body(left, top + y, shown, $0.baseAddress!) }
      }
    }
  }

  /// Decodes a part. Damage that libtiff only reports is an error too.
  private func decode(_ chunk: UInt32, to target: UnsafeMutableRawBufferPointer, atLeast: Int) throws(BackdropError) {
    let count = bd_tiff_decode(file.handle, chunk, target.baseAddress, target.count)
    try checkComplaint()
    guard count >= atLeast else { throw TIFFFile.damaged("part \(chunk) ends early") }
  }

  private func checkComplaint() throws(BackdropError) {
    let text = String(cString: bd_tiff_complaint(file.handle))
    guard !text.isEmpty else { return }
    // These do not affect pixels.
    if text.contains("extraneous bytes") || text.contains("unknown JFIF revision") {
      bd_tiff_forget(file.handle)
      return
    }
    if text.contains("not configured") || text.contains("not supported") || text.contains("nsupported") {
      throw BackdropError(
        .unsupported, "libtiff does not read this kind of TIFF (\(text))",
        hint: "save it as RGB or grey with 8 or 16 bits")
    }
    throw TIFFFile.damaged(text)
  }

  /// Puts the samples of a row, of any number of bits, at every `step`-th position.
  private func spread(
    _ row: UnsafeRawBufferPointer, count: Int, to codes: UnsafeMutableBufferPointer<UInt16>, from: Int, step: Int
  ) {
    switch page.bits {
    case 8:
      for index in 0..<count { codes[from + index * step] = UInt16(row[index]) }
    case 16:
      let words = row.bindMemory(to: UInt16.self)
      for index in 0..<count { codes[from + index * step] = words[index] }
    case 32:
      let words = row.bindMemory(to: UInt32.self)
      for index in 0..<count { codes[from + index * step] = UInt16(words[index] >> 16) }
    default:
      // The highest bits come first.
      var (held, available, position) = (0, 0, 0)
      for index in 0..<count {
        while available < page.bits {
          held = (held << 8 | Int(row[position])) & 0xFF_FFFF
          position += 1
          available += 8
        }
        available -= page.bits
        codes[from + index * step] = UInt16(held >> available & ((1 << page.bits) - 1))
      }
    }
  }

  private func paint(
    _ codes: UnsafePointer<UInt16>, count: Int, _ format: PixelFormat, to target: UnsafeMutableRawPointer
  ) {
    let (samples, alpha) = (page.samples, page.alpha)
    if format == .gray16 {
      let words = target.assumingMemoryBound(to: UInt16.self)
      let greatest = (1 << UInt32(min(page.bits, 16))) - 1
      let isInverted = page.colors == .gray(isInverted: true)
      for x in 0..<count {
        let code = Int(codes[x * samples])
        words[x] = UInt16((isInverted ? greatest - code : code) * 65_535 / greatest)
      }
      return
    }
    let bytes = target.assumingMemoryBound(to: UInt8.self)
    levels.withUnsafeBufferPointer { levels in
      if format == .gray8 {
        for x in 0..<count { bytes[x] = levels[Int(codes[x * samples])] }
        return
      }
      var printed = [UInt8](repeating: 0, count: page.colors == .inks ? 4 * count : 0)
      for index in printed.indices { printed[index] = levels[Int(codes[index / 4 * samples + index % 4])] }
      printed.withUnsafeMutableBufferPointer { inks.convert($0) }
      for x in 0..<count {
        let pixel = codes + x * samples
        let output = bytes + 4 * x
        switch page.colors {
        case .gray:
          let level = levels[Int(pixel[0])]
          (output[0], output[1], output[2]) = (level, level, level)
        case .palette: (output[0], output[1], output[2]) = palette[Int(pixel[0])]
        case .rgb, .subsampled:
          for channel in 0..<3 { output[channel] = levels[Int(pixel[channel])] }
        case .inks:
          for channel in 0..<3 { output[channel] = printed[4 * x + channel] }
        case .lab(let isICC):
          (output[0], output[1], output[2]) = CIELAB.sRGB(pixel, bits: page.bits, isICC: isICC)
        }
        guard let alpha else {
          output[3] = 255
          continue
        }
        // Alpha is not inverted with the picture.
        let (opacity, greatest) = (Int(pixel[alpha]), levels.count - 1)
        output[3] = UInt8((opacity * 255 + greatest / 2) / greatest)
        guard page.isPremultiplied, opacity < greatest else { continue }
        for channel in 0..<3 {
          // From the original samples: 8 bits are too few for dark colours.
          let code =
            switch page.colors {
            case .rgb: Int(pixel[channel])
            case .gray(let isInverted): isInverted ? greatest - Int(pixel[0]) : Int(pixel[0])
            default: (Int(output[channel]) * greatest + 127) / 255
            }
          output[channel] = opacity == 0 ? 0 : UInt8(min(255, (code * 255 + opacity / 2) / opacity))
        }
      }
    }
  }

  /// Decodes Y′CbCr samples whose chroma several pixels share, and JPEG in its old form.
  private func decodeByLibrary() throws(BackdropError) -> Image {
    let (width, height) = (page.width, page.height)
    let raster = UnsafeMutablePointer<UInt32>.allocate(capacity: width * height)
    defer { raster.deallocate() }
    let isDone = bd_tiff_decode_rgba(file.handle, raster, UInt32(width), UInt32(height), file.page.orientation)
    try checkComplaint()
    guard isDone else { throw TIFFFile.damaged("its samples cannot be decoded") }
    var image = Image(.rgba8, width: width, height: height, color: .jpeg)
    let pitch = image.layout(0).bytesPerRow
    image.withUnsafeMutableBytes { base in
      for y in 0..<height {
        let row = (base + y * pitch).assumingMemoryBound(to: UInt8.self)
        for x in 0..<width {
          // Red is in the lowest bits.
          let pixel = raster[y * width + x]
          for channel in 0..<3 { row[4 * x + channel] = UInt8(truncatingIfNeeded: pixel >> UInt32(8 * channel)) }
          row[4 * x + 3] = 255
        }
      }
    }
    return image
  }
}
