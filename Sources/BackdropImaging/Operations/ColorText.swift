/// A colour, possibly translucent, in the one-word notations of CSS Color 4.
///
///     ColorText("navy")        // 0x000080, opaque
///     ColorText("#20406080")   // half transparent
package struct ColorText: Sendable, Hashable {
  package var color: RGBColor
  /// Its opacity, 0…1.
  package var opacity: Double

  package init(_ color: RGBColor, opacity: Double) { (self.color, self.opacity) = (color, opacity) }

  /// Reads `#RGB`, `#RRGGBB`, `#RGBA` and `#RRGGBBAA`, one of the 148 names of CSS Color 4, or `transparent`, in either case; `nil` for
  /// anything else.
  package init?(_ text: String) {
    // The longest name has 20 letters.
    guard text.utf8.count <= 24 else { return nil }
    let word = text.lowercased()
    if word == "transparent" {
      (color, opacity) = (.black, 0)
      return
    }
    if let code = RGBColor.names[word] {
      (color, opacity) = (RGBColor(code: code), 1)
      return
    }
    guard word.hasPrefix("#") else { return nil }
    let digits = word.dropFirst().utf8
    var numbers = digits.compactMap { $0.hexDigit.map(UInt32.init) }
    guard numbers.count == digits.count, [3, 4, 6, 8].contains(numbers.count) else { return nil }
    if numbers.count < 6 { numbers = numbers.flatMap { [$0, $0] } }
    color = RGBColor(code: numbers.prefix(6).reduce(0) { $0 << 4 | $1 })
    opacity = numbers.count == 8 ? Double(numbers[6] << 4 | numbers[7]) / 255 : 1
  }
}

extension ColorText: CustomStringConvertible {
  /// `#RRGGBB`, or `#RRGGBBAA` if it is not opaque.
  package var description: String {
    guard opacity < 1 else { return color.hex }
    let level = UInt8((min(max(opacity, 0), 1) * 255).rounded())
    return color.hex + (level < 16 ? "0" : "") + String(level, radix: 16, uppercase: true)
  }
}

extension RGBColor {
  /// Reads an opaque colour like `ColorText`, with an optional `#`; `nil` for a translucent one, and for anything else.
  public init?(text: String) {
    guard let read = ColorText(text) ?? ColorText("#" + text), read.opacity == 1 else { return nil }
    self = read.color
  }

  /// `0xRRGGBB`.
  fileprivate init(code: UInt32) {
    func part(_ shift: UInt32) -> Double { Double(code >> shift & 255) / 255 }
    self.init(red: part(16), green: part(8), blue: part(0))
  }
}

extension Image {
  /// Lays the picture, with straight alpha, over a possibly translucent colour: the "over" of Porter and Duff (Compositing Digital Images,
  /// 1984). Rows of ``/BackdropImaging/PixelFormat/bgra8`` only.
  package mutating func lay(over background: ColorText) {
    precondition(format == .bgra8, "a picture of another format")
    let fill = background.color.bytes(.bgra8, description: color)[0].map(Double.init)
    let (opacity, width) = (background.opacity, width)
    for y in 0..<height {
      var row = mutableRow(y)
      for x in 0..<width {
        let alpha = Double(row[4 * x + 3]) / 255
        let below = opacity * (1 - alpha)
        let sum = alpha + below
        guard sum > 0 else { continue }
        for channel in 0..<3 {
          row[4 * x + channel] = UInt8((Double(row[4 * x + channel]) * alpha + fill[channel] * below) / sum + 0.5)
        }
        row[4 * x + 3] = UInt8(sum * 255 + 0.5)
      }
    }
  }
}
