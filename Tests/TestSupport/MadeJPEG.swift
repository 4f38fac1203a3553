/// Progressive JPEG files (ITU-T T.81) whose scans have a few bytes, although each covers the whole picture.
public enum MadeJPEG {
  /// A grey picture of `runs` times 16,384 blocks, 1024 pixels wide; every scan after the first changes nothing.
  public static func progressive(runs: Int, scans: Int) -> [UInt8] {
    let blocks = 16_384 * runs
    let height = blocks / 128 * 8
    var file: [UInt8] = [0xFF, 0xD8] + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    file += segment(0xC2, [8, UInt8(height >> 8), UInt8(height & 255), 4, 0, 1, 1, 0x11, 0])
    // Tables of one code, a zero bit: for DC the difference 0, for AC the end of the band for 2^14 blocks plus a number in 14 more bits.
    for (table, symbol) in [(0x00, 0x00), (0x10, 0xE0)] as [(UInt8, UInt8)] {
      file += segment(0xC4, [table, 1] + [UInt8](repeating: 0, count: 15) + [symbol])
    }
    if scans > 0 { file += segment(0xDA, [1, 1, 0, 0, 0, 0]) + [UInt8](repeating: 0, count: blocks / 8) }
    let bits = 15 * runs
    var band = [UInt8](repeating: 0, count: (bits + 7) / 8)
    if bits % 8 > 0 { band[band.count - 1] = UInt8((1 << (8 - bits % 8)) - 1) }
    for scan in 1..<max(scans, 1) {
      let coefficient = UInt8(1 + (scan - 1) % 63)
      file += segment(0xDA, [1, 1, 0, coefficient, coefficient, 0]) + band
    }
    return file + [0xFF, 0xD9]
  }

  private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
  }
}
