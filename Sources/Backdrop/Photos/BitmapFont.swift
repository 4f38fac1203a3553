/// A bitmap font of 5×7 dots, with two more rows for descenders, for the captions of pages and the scales of views.
enum BitmapFont {
  /// Writes a line of text; unknown characters leave a gap.
  ///
  /// - Parameters:
  ///   - corner: the upper left corner of the text, in pixels.
  ///   - scale: the side of a dot, in pixels.
  ///   - ink: the grey level of the letters, 0…255.
  ///   - image: `rgb8` or `rgba8`.
  static func draw(_ text: String, at corner: (x: Int, y: Int), scale: Int, ink: UInt8 = 40, into image: inout Image) {
    var left = corner.x
    for letter in text.lowercased() {
      defer { left += 6 * scale }
      guard let rows = dots[letter] else { continue }
      for (row, bits) in rows.enumerated() {
        for column in 0..<5 where bits >> (4 - column) & 1 == 1 {
          image.box(left + column * scale, corner.y + row * scale, scale, scale, (ink, ink, ink))
        }
      }
    }
  }

  /// The width of a line of text in pixels, from its first dot to its last.
  static func width(of text: String, scale: Int) -> Int { max(0, text.count * 6 - 1) * scale }

  /// The rows of each letter from the top; bit 4 is the leftmost dot.
  private static let dots: [Character: [UInt8]] = [
    "a": [0, 0, 14, 1, 15, 17, 15], "b": [16, 16, 30, 17, 17, 17, 30], "c": [0, 0, 14, 17, 16, 17, 14],
    "d": [1, 1, 15, 17, 17, 17, 15], "e": [0, 0, 14, 17, 31, 16, 14], "f": [6, 9, 8, 28, 8, 8, 8],
    "g": [0, 0, 15, 17, 17, 17, 15, 1, 14], "h": [16, 16, 30, 17, 17, 17, 17], "i": [4, 0, 12, 4, 4, 4, 14],
    "j": [2, 0, 6, 2, 2, 2, 2, 18, 12], "k": [16, 16, 18, 20, 24, 20, 18], "l": [12, 4, 4, 4, 4, 4, 14],
    "m": [0, 0, 26, 21, 21, 21, 21], "n": [0, 0, 30, 17, 17, 17, 17], "o": [0, 0, 14, 17, 17, 17, 14],
    "p": [0, 0, 30, 17, 17, 17, 30, 16, 16], "q": [0, 0, 15, 17, 17, 17, 15, 1, 1], "r": [0, 0, 22, 25, 16, 16, 16],
    "s": [0, 0, 15, 16, 14, 1, 30], "t": [8, 8, 28, 8, 8, 9, 6], "u": [0, 0, 17, 17, 17, 17, 15],
    "v": [0, 0, 17, 17, 17, 10, 4], "w": [0, 0, 17, 17, 21, 21, 10], "x": [0, 0, 17, 10, 4, 10, 17],
    "y": [0, 0, 17, 17, 17, 17, 15, 1, 14], "z": [0, 0, 31, 2, 4, 8, 31],
    "0": [14, 17, 19, 21, 25, 17, 14], "1": [4, 12, 4, 4, 4, 4, 14], "2": [14, 17, 1, 6, 8, 16, 31],
    "3": [14, 17, 1, 6, 1, 17, 14], "4": [2, 6, 10, 18, 31, 2, 2], "5": [31, 16, 30, 1, 1, 17, 14],
    "6": [6, 8, 16, 30, 17, 17, 14], "7": [31, 1, 2, 4, 8, 8, 8], "8": [14, 17, 17, 14, 17, 17, 14],
    "9": [14, 17, 17, 15, 1, 2, 12], "-": [0, 0, 0, 14, 0, 0, 0], ".": [0, 0, 0, 0, 0, 12, 12],
    "=": [0, 0, 14, 0, 14, 0, 0], "%": [24, 25, 2, 4, 8, 19, 3], "_": [0, 0, 0, 0, 0, 0, 31],
  ]
}
