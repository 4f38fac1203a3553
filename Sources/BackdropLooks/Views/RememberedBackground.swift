import BackdropImaging

/// The background of a stream, remembered where the camera saw it, for the parts that something in front hides now.
///
/// It works in squares. A square is taken when it is first uncovered, and remembered once it has stayed the same for some frames. It is not
/// updated, so that what it shows is steady. Each frame is compared with the remembered squares that it shows: one that changed is taken
/// again, and if many did, as when the camera or the light moves, everything is forgotten.
///
/// Use one for one stream. Pictures are in interleaved formats.
final class RememberedBackground {
  /// The side of a square, in pixels.
  static let side = 8
  /// For how many frames a square must stay the same, since a matte may miss somebody for a moment.
  static let patience: UInt8 = 10
  /// The mean difference of a square's samples above which it shows something else: more than the noise of a dark room.
  private static let change = 10
  /// The fraction of the visible squares that may change before everything is forgotten.
  private static let mostChanged = 0.1

  private var kept = Image(.gray8, width: 1, height: 1)
  private var shown = Image(.gray8, width: 1, height: 1)
  /// For how many frames each square has been known, at most ``patience``.
  private var known: [UInt8] = []
  private var isCovered: [Bool] = []
  private var columns = 0, rows = 0

  /// The frame with what is remembered in place of what hides it. `hole`, of any size over the whole frame, is 1 where the background is
  /// hidden and 0 elsewhere, afterwards also where it is remembered; `soft` is the same with a soft edge.
  func view(_ frame: Image, hole: inout Plane<UInt16>, soft: inout Plane<UInt16>) -> Image {
    if kept.width != frame.width || kept.height != frame.height || kept.format != frame.format {
      kept.fit(frame)
      (columns, rows) = ((frame.width - 1) / Self.side + 1, (frame.height - 1) / Self.side + 1)
      known = Array(repeating: 0, count: columns * rows)
    }
    let squares = Squares(frame, columns)
    isCovered = known.indices.map { at in
      let (x, y) = squares.samples(at, of: hole)
      return y.contains { y in x.contains { hole[$0, y] > 0 } }
    }
    learn(frame)
    let used = known.indices.filter { isCovered[$0] && known[$0] == Self.patience }
    guard !used.isEmpty else { return frame }
    shown.fit(frame)
    frame.withUnsafeBytes { from in
      kept.withUnsafeBytes { kept in
        shown.withUnsafeMutableBytes { to in
          to.copyMemory(from: from, byteCount: squares.bytesPerRow * frame.height)
          for at in used { squares.copy(at, kept, to) }
        }
      }
    }
    for at in used {
      let (x, y) = squares.samples(at, of: hole)
      for y in y { for x in x { (hole[x, y], soft[x, y]) = (0, 0) } }
    }
    return shown
  }

  /// Compares the frame with what is known, and takes what is new.
  private func learn(_ frame: Image) {
    let squares = Squares(frame, columns)
    let isCovered = isCovered
    frame.withUnsafeBytes { from in
      kept.withUnsafeMutableBytes { to in
        var (compared, changed) = (0, 0)
        for at in known.indices where !isCovered[at] && known[at] > 0 {
          compared += 1
          guard squares.difference(at, from, UnsafeRawPointer(to)) > Self.change else { continue }
          changed += 1
          known[at] = 0
        }
        let forgets = Double(changed) > Self.mostChanged * Double(compared)
        for at in known.indices {
          if forgets || isCovered[at] && known[at] < Self.patience { known[at] = 0 }
          guard !isCovered[at] else { continue }
          if known[at] == 0 { squares.copy(at, from, to) }
          known[at] = min(known[at] + 1, Self.patience)
        }
      }
    }
  }
}

/// The squares of pictures of one size and format.
private struct Squares {
  let bytesPerRow: Int
  private let width: Int, height: Int, step: Int, columnCount: Int

  init(_ image: Image, _ columns: Int) {
    (width, height, columnCount) = (image.width, image.height, columns)
    step = image.format == .rgb8 ? 3 : 4
    bytesPerRow = image.layout(0).bytesPerRow
  }

  func columns(_ at: Int) -> Range<Int> {
    let first = at % columnCount * RememberedBackground.side
    return first..<min(first + RememberedBackground.side, width)
  }

  func rows(_ at: Int) -> Range<Int> {
    let first = at / columnCount * RememberedBackground.side
    return first..<min(first + RememberedBackground.side, height)
  }

  /// The samples over a square, of a plane over the whole picture.
  func samples(_ at: Int, of plane: Plane<UInt16>) -> (x: Range<Int>, y: Range<Int>) {
    func range(_ pixels: Range<Int>, _ size: Int, _ count: Int) -> Range<Int> {
      let first = pixels.lowerBound * count / size
      return first..<max(first + 1, (pixels.upperBound * count + size - 1) / size)
    }
    return (range(columns(at), width, plane.width), range(rows(at), height, plane.height))
  }

  func copy(_ at: Int, _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer) {
    let x = columns(at)
    for y in rows(at) {
      let start = y * bytesPerRow + x.lowerBound * step
      (to + start).copyMemory(from: from + start, byteCount: x.count * step)
    }
  }

  /// The mean difference of samples in every third row.
  func difference(_ at: Int, _ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
    let (x, y) = (columns(at), rows(at))
    var (sum, count) = (0, 0)
    for row in stride(from: y.lowerBound, to: y.upperBound, by: 3) {
      let start = row * bytesPerRow + x.lowerBound * step
      let (one, other) = (a + start, b + start)
      for i in 0..<x.count * step {
        let (p, q) = (one.load(fromByteOffset: i, as: UInt8.self), other.load(fromByteOffset: i, as: UInt8.self))
        sum += abs(Int(p) - Int(q))
      }
      count += x.count * step
    }
    return sum / count
  }
}
