import BackdropImaging

/// Writes an animated PNG (PNG specification, third edition, section 11.3.6) with 8-bit colours, and optional alpha.
///
/// Each picture is stored as the rectangle that differs from the previous one.
package struct APNGWriter: AnimationWriter {
  package private(set) var count = 0

  private let settings: AnimationSettings
  private var bytes: [UInt8] = []
  private var before: Image?
  private var sequence = 0

  /// The offset of the chunk with the number of pictures: after the signature and the header.
  private static let controlOffset = 8 + 25

  /// Begins a file.
  ///
  /// - Throws: `wrongArgument` for a size without pixels.
  package init(_ settings: AnimationSettings) throws(BackdropError) {
    guard settings.width > 0 && settings.height > 0 else {
      throw BackdropError(.wrongArgument, "an animation cannot have \(settings.width)×\(settings.height) pixels")
    }
    self.settings = settings
  }

  package mutating func append(_ image: Image, from start: Int64, to end: Int64) throws(BackdropError) {
    try image.checkSize(settings.width, settings.height)
    let picture = settings.pixels(of: image)
    let box = ChangedBox(before, picture)
    let part = try picture.cropped(x: box.left, y: box.top, width: box.width, height: box.height)
    let file = try PNG.encode(part, compression: .fast)
    let chunks = Array(PNGChunks(file))
    if before == nil {
      bytes = Array(file[..<Self.controlOffset]) + control
      for chunk in chunks where !["IHDR", "IDAT", "IEND"].contains(chunk.name) {
        bytes += PNG.chunk(chunk.name, file[chunk.content])
      }
    }
    let (numerator, denominator) = delay(from: start, to: end)
    // Both operations are 0: the picture replaces previous contents, and stays.
    let region = [sequence, box.width, box.height, box.left, box.top].flatMap(PNG.long)
    bytes += PNG.chunk("fcTL", region + Self.short(numerator) + Self.short(denominator) + [0, 0])
    sequence += 1
    for chunk in chunks where chunk.name == "IDAT" {
      if before == nil {
        bytes += PNG.chunk("IDAT", file[chunk.content])
      } else {
        bytes += PNG.chunk("fdAT", PNG.long(sequence) + file[chunk.content])
        sequence += 1
      }
    }
    before = picture
    count += 1
  }

  package mutating func finish() -> [(offset: Int, bytes: [UInt8])] {
    bytes += PNG.chunk("IEND", [])
    return [(Self.controlOffset, control)]
  }

  package mutating func drain() -> [UInt8] { exchange(&bytes, with: []) }

  private var control: [UInt8] { PNG.chunk("acTL", PNG.long(count) + PNG.long(settings.plays)) }

  /// Seconds as a fraction of 16-bit numbers: exact if possible, else ten-thousandths, or milliseconds for long durations.
  private func delay(from start: Int64, to end: Int64) -> (Int, Int) {
    let (ticks, overflows) = max(0, end - start).multipliedReportingOverflow(by: Int64(settings.timeBase.numerator))
    let below = Int64(settings.timeBase.denominator)
    if !overflows {
      var (a, b) = (ticks, below)
      while b != 0 { (a, b) = (b, a % b) }
      let common = max(1, a)
      if ticks / common <= 65_535 && below / common <= 65_535 { return (Int(ticks / common), Int(below / common)) }
    }
    for parts in [10_000.0, 1000, 100, 1] {
      let units = settings.units(end, perSecond: parts) - settings.units(start, perSecond: parts)
      if units <= 65_535 { return (max(0, units), Int(parts)) }
    }
    return (65_535, 1)
  }

  private static func short(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
}
