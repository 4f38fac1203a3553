/// Draws the time into a picture, to measure the delay at the end of a chain of programs.
///
/// Two rows of twenty squares of 16 pixels, in the middle near the lower edge: 32 bits of a number, least significant first, and 8 bits of
/// a checksum. White is 1.
enum TimeCode {
  private static let side = 16, columns = 20, bits = 40

  /// Draws a number; leaves a picture that is too small unchanged.
  static func draw(_ value: UInt32, on image: inout Image) {
    guard image.format == .bgra8, image.width >= side * columns, image.height >= 4 * side else { return }
    let check = (value ^ value >> 8 ^ value >> 16 ^ value >> 24 ^ 0x5A) & 255
    let code = UInt64(value) | UInt64(check) << 32
    let (left, top) = (image.width / 2 - side * columns / 2, image.height - 4 * side)
    for y in 0..<2 * side {
      var row = image.mutableRow(top + y)
      for x in 0..<side * columns {
        let bit = y / side * columns + x / side
        let level: UInt8 = bit < bits && code >> UInt64(bit) & 1 == 1 ? 255 : 0
        for channel in 0..<3 { row[4 * (left + x) + channel] = level }
      }
    }
  }
}
