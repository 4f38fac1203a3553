import BackdropImaging
import Libc

/// Colours of CIE 1976 L*a*b* with the white point D50, in TIFF's coding.
enum CIELAB {
  /// A colour in sRGB, clipped, from three samples of 8 or 16 bits.
  ///
  /// - Parameter isICC: whether a* and b* are coded from −128 on (TIFF Technical Note 4), not as signed numbers (TIFF 6.0, section 23).
  static func sRGB(_ codes: UnsafePointer<UInt16>, bits: Int, isICC: Bool) -> (UInt8, UInt8, UInt8) {
    func chroma(_ code: UInt16) -> Float {
      switch (bits, isICC) {
      case (8, true): Float(code) - 128
      case (8, false): Float(Int8(truncatingIfNeeded: code))
      case (_, true): Float(Int(code) - 0x8000) / 256
      case (_, false): Float(Int16(bitPattern: code)) / 256
      }
    }
    // In the coding of ICC's version 2, a lightness of 100 is 0xFF00 in 16 bits.
    let lightness = Float(codes[0]) * 100 / (bits == 8 ? 255 : isICC ? 0xFF00 : 0xFFFF)
    let (a, b) = (chroma(codes[1]), chroma(codes[2]))
    let y = (lightness + 16) / 116
    func linear(_ t: Float) -> Float { t > 6 / 29 ? t * t * t : (t - 4 / 29) * 3 * (6 / 29) * (6 / 29) }
    // ICC's D50, and from there to linear sRGB by Bradford's adaptation.
    let (X, Y, Z) = (0.9642 * linear(y + a / 500), linear(y), 0.8249 * linear(y - b / 200))
    func level(_ value: Float) -> UInt8 {
      let light = min(max(value, 0), 1)
      let curved = light <= 0.003_130_8 ? 12.92 * light : 1.055 * powf(light, 1 / 2.4) - 0.055
      return UInt8((curved * 255).rounded())
    }
    return (
      level(3.133_856 * X - 1.616_867 * Y - 0.490_615 * Z), level(-0.978_768 * X + 1.916_142 * Y + 0.033_454 * Z),
      level(0.071_945 * X - 0.228_991 * Y + 1.405_243 * Z)
    )
  }
}
