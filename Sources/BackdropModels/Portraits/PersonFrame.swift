import BackdropImaging

/// The part of a picture that a network examines again: it contains all people of a matte, with a margin. This rule
/// applies to pictures and streams, and to every network.
///
/// A frame is given as fractions of the picture's width and height.
enum PersonFrame {
  static let whole = Rect(x: 0, y: 0, width: 1, height: 1)
  /// The margin round the people on each side, as a fraction of their width and height.
  static let air = 0.15
  /// A frame larger than this fraction of the picture's area is not worth a second pass.
  private static let largest = 0.9
  /// Blobs smaller than this fraction of the largest do not count.
  static let smallestBlob = 0.1
  /// How much a frame grows on a side that people reach, as a fraction of its width or height.
  private static let growth = 0.6
  /// The width of the blend along a frame's border, as a fraction of its width and height: nobody is in it.
  static let rim = 0.075

  /// Whether a frame is small enough that a network sees more in it than in the whole picture.
  static func isWorthwhile(_ frame: Rect) -> Bool { frame.width * frame.height <= largest }

  /// A larger frame if people reach this one's border within the picture, in its map; `nil` if they do not.
  static func enlarged(_ frame: Rect, where map: ProbabilityMap) -> Rect? {
    guard let people = map.frame(smallestBlob: smallestBlob) else { return nil }
    func enlarged(_ start: Double, _ length: Double, _ first: Double, _ last: Double) -> (start: Double, end: Double) {
      (
        first <= rim ? max(0, start - growth * length) : start,
        last >= 1 - rim ? min(1, start + length + growth * length) : start + length
      )
    }
    let across = enlarged(frame.x, frame.width, people.x, people.x + people.width)
    let down = enlarged(frame.y, frame.height, people.y, people.y + people.height)
    let larger = Rect(x: across.start, y: down.start, width: across.end - across.start, height: down.end - down.start)
    return larger.isNear(frame) ? nil : larger
  }

  /// A frame in pixels of a picture, aligned to even pixels for subsampled chroma.
  static func pixels(of frame: Rect, width: Int, height: Int) -> IntegerRect {
    guard frame != whole else { return IntegerRect(x: 0, y: 0, width: width, height: height) }
    let x = Int(frame.x * Double(width)) & ~1
    let y = Int(frame.y * Double(height)) & ~1
    let right = min(width, (Int((frame.x + frame.width) * Double(width)) + 2) & ~1)
    let bottom = min(height, (Int((frame.y + frame.height) * Double(height)) + 2) & ~1)
    return IntegerRect(x: x, y: y, width: right - x, height: bottom - y)
  }
}

extension Rect {
  /// This part of `outer`, both as fractions of one picture.
  func within(_ outer: Rect) -> Rect {
    Rect(
      x: outer.x + x * outer.width, y: outer.y + y * outer.height, width: width * outer.width,
      height: height * outer.height)
  }

  /// Enlarged by `part` of the width and height on each side, within the picture.
  func grown(by part: Double) -> Rect {
    let left = max(0, x - part * width)
    let top = max(0, y - part * height)
    return Rect(
      x: left, y: top, width: min(1, x + width + part * width) - left, height: min(1, y + height + part * height) - top)
  }

  /// Whether no edge is farther than 0.5 % of the picture from the other's.
  func isNear(_ other: Rect) -> Bool {
    abs(x - other.x) < 0.005 && abs(y - other.y) < 0.005 && abs(x + width - other.x - other.width) < 0.005
      && abs(y + height - other.y - other.height) < 0.005
  }
}
