/// A colour as R′G′B′ of sRGB, each 0…1, opaque.
public struct RGBColor: Sendable, Codable, Hashable {
  /// Red.
  public var red: Double
  /// Green.
  public var green: Double
  /// Blue.
  public var blue: Double

  /// Makes a colour; components outside 0…1 are clamped when used.
  public init(red: Double, green: Double, blue: Double) { (self.red, self.green, self.blue) = (red, green, blue) }

  /// The colour as `#RRGGBB`, rounded to 8 bits.
  public var hex: String {
    let digits = bytes(.rgb8, description: .jpeg)[0].map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return "#" + digits.joined()
  }

  /// R, G, B, A in memory, rounded to 8 bits.
  package var packed: UInt32 {
    let channels = [red, green, blue].map { UInt32((min(max($0.isNaN ? 0 : $0, 0), 1) * 255).rounded()) }
    return (channels[0] | channels[1] << 8 | channels[2] << 16 | 0xFF00_0000).littleEndian
  }

  /// (0, 0, 0).
  public static let black = RGBColor(red: 0, green: 0, blue: 0)
  /// (1, 1, 1).
  public static let white = RGBColor(red: 1, green: 1, blue: 1)

  /// The repeating bytes along a row of each plane of a picture filled with the colour, in the picture's own space.
  func bytes(_ format: PixelFormat, description: ColorDescription) -> [[UInt8]] {
    func unit(_ value: Double) -> Double { value.isNaN ? 0 : min(max(value, 0), 1) }
    func byte(_ value: Double) -> UInt8 { UInt8(min(max((value + 0.5).rounded(.down), 0), 255)) }
    let own = [unit(red), unit(green), unit(blue)]
    let there = ColorTransform.between(.sRGB, description.space)?(own) ?? own
    let (r, g, b) = (there[0], there[1], there[2])
    let rgb = (byte(r * 255), byte(g * 255), byte(b * 255))
    let scale = YUVScale(description)
    let (kr, kg, kb, luma) = (scale.red, scale.green, scale.blue, scale.lumaScale)
    let gray = kr * r + kg * g + kb * b
    let (u, v) = (scale.chromaScale / (2 * (1 - kb)), scale.chromaScale / (2 * (1 - kr)))
    let yuv = [
      byte(luma * kr * r + luma * kg * g + luma * kb * b + scale.lumaOffset),
      byte(-u * kr * r - u * kg * g + u * (1 - kb) * b + 128),
      byte(v * (1 - kr) * r - v * kg * g - v * kb * b + 128),
    ]
    switch format {
    case .bgra8: return [[rgb.2, rgb.1, rgb.0, 255]]
    case .rgba8: return [[rgb.0, rgb.1, rgb.2, 255]]
    case .rgb8: return [[rgb.0, rgb.1, rgb.2]]
    case .i420: return [[yuv[0]], [yuv[1]], [yuv[2]]]
    case .nv12: return [[yuv[0]], [yuv[1], yuv[2]]]
    case .yuyv: return [[yuv[0], yuv[1], yuv[0], yuv[2]]]
    case .gray8: return [[byte(gray * 255)]]
    case .gray16: return [Swift.withUnsafeBytes(of: UInt16((gray * 65535).rounded())) { Array($0) }]
    case .grayFloat: return [Swift.withUnsafeBytes(of: Float(gray)) { Array($0) }]
    }
  }
}
