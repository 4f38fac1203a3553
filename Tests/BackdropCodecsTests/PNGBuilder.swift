import TestSupport

/// Writes any kind of PNG from raw sample values, according to the specification and without compression. It covers the kinds that the
/// tested encoder cannot write.
struct PNGBuilder {
  enum ColorType: UInt8, CaseIterable { case grey = 0, rgb = 2, palette = 3, greyAlpha = 4, rgba = 6 }

  var width, height: Int
  var colorType: ColorType
  var bitDepth: Int
  var isInterlaced = false
  /// Channel values of the pixel at (x, y).
  var pixel: (Int, Int) -> [Int]
  var palette: [[UInt8]] = []
  var transparency: [UInt8] = []

  var channels: Int {
    switch colorType {
    case .grey, .palette: 1
    case .greyAlpha: 2
    case .rgb: 3
    case .rgba: 4
    }
  }

  var bytes: [UInt8] {
    var file = MadePNG.signature
    file += MadePNG.chunk(
      "IHDR",
      MadePNG.word(width) + MadePNG.word(height) + [UInt8(bitDepth), colorType.rawValue, 0, 0, isInterlaced ? 1 : 0])
    if !palette.isEmpty { file += MadePNG.chunk("PLTE", palette.flatMap { $0 }) }
    if !transparency.isEmpty { file += MadePNG.chunk("tRNS", transparency) }
    file += MadePNG.chunk("IDAT", Self.stored(scanlines))
    return file + MadePNG.chunk("IEND", [])
  }

  private var scanlines: [UInt8] {
    let passes =
      isInterlaced
      ? [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
      : [(0, 0, 1, 1)]
    var out: [UInt8] = []
    for (left, top, right, down) in passes where left < width {
      for y in stride(from: top, to: height, by: down) {
        var bits = 0
        var byte = 0
        out.append(0)
        for x in stride(from: left, to: width, by: right) {
          for value in pixel(x, y) {
            if bitDepth == 16 {
              out += [UInt8(value >> 8), UInt8(value & 255)]
              continue
            }
            byte = byte << bitDepth | value
            bits += bitDepth
            if bits == 8 {
              out.append(UInt8(byte))
              (bits, byte) = (0, 0)
            }
          }
        }
        if bits > 0 { out.append(UInt8(byte << (8 - bits))) }
      }
    }
    return out
  }

  /// A zlib stream of stored blocks.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = [0x78, 0x01]
    var position = 0
    repeat {
      let count = min(65535, bytes.count - position)
      out.append(position + count == bytes.count ? 1 : 0)
      out += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255)]
      out += bytes[position..<position + count]
      position += count
    } while position < bytes.count
    return out + MadePNG.word(MadePNG.adler32(bytes))
  }
}
