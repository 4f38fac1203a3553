import BackdropImaging
import CGIF

/// Writes an animated GIF (GIF89a Specification, CompuServe 1990; NETSCAPE2.0 application extension) with giflib.
///
/// Each picture has at most 255 colours, chosen by median cut (`GIFPalette`), with ordered dithering. If the previous picture's colours are
/// almost as good, they stay, so that nothing flickers and only changes are stored. A pixel is opaque or transparent: with alpha the same
/// pattern decides near one half, and each picture replaces the previous one.
package struct GIFWriter: AnimationWriter {
  package private(set) var count = 0

  private let settings: AnimationSettings
  private let encoder: GIFEncoder
  private var palette: GIFPalette?
  private var before: [UInt8] = []
  /// The end of the last picture, in hundredths of a second.
  private var shown = 0

  /// The index that keeps the previous pixel.
  private static let clear: UInt8 = 255
  /// A picture gets a new palette if its error exceeds that of its own palette by this factor.
  private static let paletteTolerance = 1.25
  /// The shortest duration that viewers do not slow down, and the longest possible one, in hundredths of a second.
  private static let shortest = 2, longest = 65_535

  /// Begins a file.
  ///
  /// - Throws: `wrongArgument` for a size outside a GIF's range.
  package init(_ settings: AnimationSettings) throws(BackdropError) {
    self.settings = settings
    let (width, height) = (settings.width, settings.height)
    guard (1...65_535).contains(width) && (1...65_535).contains(height) else {
      throw BackdropError(
        .wrongArgument, "a GIF cannot have \(width)×\(height) pixels", hint: "use sides from 1 to 65535 pixels")
    }
    encoder = try GIFEncoder(width: width, height: height, plays: settings.plays)
  }

  package mutating func append(_ image: Image, from start: Int64, to end: Int64) throws(BackdropError) {
    try image.checkSize(settings.width, settings.height)
    // A GIF cannot state its colour space, so it is sRGB.
    let picture = settings.pixels(of: image).converted(to: settings.keepsAlpha ? .rgba8 : .rgb8, color: .jpeg)
    let histogram = GIFPalette.Histogram(picture)
    let kept = palette.flatMap { $0.error(of: histogram) <= $0.ownError * Self.paletteTolerance + 1 ? $0 : nil }
    var palette = kept ?? GIFPalette(histogram)
    var indices = [UInt8](repeating: Self.clear, count: settings.width * settings.height)
    for y in 0..<settings.height {
      palette.map(picture.row(y), y, hasAlpha: settings.keepsAlpha, into: &indices, at: y * settings.width)
    }
    self.palette = palette
    // Computed from the end time, so that rounding errors do not accumulate.
    var left = max(Self.shortest, settings.units(end, perSecond: 100) - shown)
    shown += left
    try write(indices, palette, all: kept == nil || count == 0, hundredths: min(left, Self.longest))
    before = indices
    while left > Self.longest {
      left -= Self.longest
      try write(indices, palette, all: false, hundredths: min(left, Self.longest))
    }
    count += 1
  }

  package mutating func finish() -> [(offset: Int, bytes: [UInt8])] {
    encoder.finish()
    return []
  }

  package mutating func drain() -> [UInt8] { encoder.drain() }

  /// The rectangle of a picture to store: the visible part, or, without alpha, the changed part unless `all` is set.
  private func box(_ indices: [UInt8], all: Bool) -> (left: Int, top: Int, right: Int, bottom: Int) {
    let (width, height) = (settings.width, settings.height)
    if all && !settings.keepsAlpha { return (0, 0, width, height) }
    var (left, top, right, bottom) = (width, height, 0, 0)
    for y in 0..<height {
      for x in 0..<width {
        let i = y * width + x
        guard settings.keepsAlpha ? indices[i] != Self.clear : indices[i] != before[i] else { continue }
        (left, right) = (min(left, x), max(right, x + 1))
        (top, bottom) = (min(top, y), max(bottom, y + 1))
      }
    }
    // A picture must have pixels.
    return right <= left ? (0, 0, 1, 1) : (left, top, right, bottom)
  }

  private func write(_ indices: [UInt8], _ palette: GIFPalette, all: Bool, hundredths: Int) throws(BackdropError) {
    let (left, top, right, bottom) = box(indices, all: all)
    // Graphic control extension, section 23: keep the picture, or with alpha remove it; index 255 is transparent.
    let disposal = UInt8(settings.keepsAlpha ? DISPOSE_BACKGROUND : DISPOSE_DO_NOT) << 2 | 1
    try encoder.control([disposal, UInt8(hundredths & 255), UInt8(hundredths >> 8), Self.clear])
    try encoder.begin(left: left, top: top, width: right - left, height: bottom - top, palette: palette.bytes)
    for y in top..<bottom {
      let range = y * settings.width + left..<y * settings.width + right
      var row = Array(indices[range])
      if !all && !settings.keepsAlpha {
        for (x, i) in range.enumerated() where row[x] == before[i] { row[x] = Self.clear }
      }
      try encoder.append(&row)
    }
  }
}

/// giflib's encoder, which writes to memory.
private final class GIFEncoder: @unchecked Sendable {  // Only one writer uses it.
  private var bytes: [UInt8] = []
  private var file: UnsafeMutablePointer<GifFileType>?

  init(width: Int, height: Int, plays: Int) throws(BackdropError) {
    file = EGifOpen(
      Unmanaged.passUnretained(self).toOpaque(),
      { file, bytes, count in
        guard let owner = file?.pointee.UserData else { return 0 }
        let encoder = Unmanaged<GIFEncoder>.fromOpaque(owner).takeUnretainedValue()
        encoder.bytes += UnsafeBufferPointer(start: bytes, count: Int(count))
        return count
      }, nil)
    EGifSetGifVersion(file, true)
    // No global colours.
    try check(EGifPutScreenDesc(file, Int32(width), Int32(height), 8, 0, nil))
    guard plays != 1 else { return }
    // The number of repetitions, 0 for an endless loop.
    let repeats = min(max(0, plays - 1), 65_535)
    try check(EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE))
    try check(EGifPutExtensionBlock(file, 11, "NETSCAPE2.0"))
    try check(EGifPutExtensionBlock(file, 3, [1, UInt8(repeats & 255), UInt8(repeats >> 8)]))
    try check(EGifPutExtensionTrailer(file))
  }

  deinit {
    file?.pointee.UserData = nil
    finish()
  }

  /// The graphic control extension of the next picture.
  func control(_ bytes: [UInt8]) throws(BackdropError) {
    try check(EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, Int32(bytes.count), bytes))
  }

  /// Starts a picture with its own 256 colours; its rows follow.
  func begin(left: Int, top: Int, width: Int, height: Int, palette: [UInt8]) throws(BackdropError) {
    var palette = palette
    let status = palette.withUnsafeMutableBytes { bytes in
      let colors = bytes.assumingMemoryBound(to: GifColorType.self)
      var map = ColorMapObject(ColorCount: 256, BitsPerPixel: 8, SortFlag: false, Colors: colors.baseAddress)
      return EGifPutImageDesc(file, Int32(left), Int32(top), Int32(width), Int32(height), false, &map)
    }
    try check(status)
  }

  func append(_ row: inout [UInt8]) throws(BackdropError) { try check(EGifPutLine(file, &row, Int32(row.count))) }

  func finish() {
    guard let file else { return }
    EGifCloseFile(file, nil)
    self.file = nil
  }

  func drain() -> [UInt8] { exchange(&bytes, with: []) }

  /// Writing to memory fails only if there is not enough of it.
  private func check(_ status: Int32) throws(BackdropError) {
    guard status == GIF_OK else { throw BackdropError(.system, "giflib has not enough memory for the GIF") }
  }
}
