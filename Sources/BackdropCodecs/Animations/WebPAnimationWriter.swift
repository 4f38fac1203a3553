import BackdropImaging

/// Writes an animated WebP (RFC 9649, section 2.7.1), lossy or exact, with optional alpha.
///
/// Each picture is stored as the rectangle that differs from the previous one, at even positions, as the format requires.
package struct WebPAnimationWriter: AnimationWriter {
  package private(set) var count = 0

  private let settings: AnimationSettings
  private var bytes: [UInt8] = []
  private var before: Image?
  /// Bytes of the whole file so far.
  private var size = 0
  private var shown = 0

  /// The longest duration of a picture, in milliseconds.
  private static let longest = 1 << 24 - 1

  /// Begins a file.
  ///
  /// - Throws: `overLimit` for a side above 16,383.
  package init(_ settings: AnimationSettings) throws(BackdropError) {
    guard (1...WebP.largestSide).contains(settings.width) && (1...WebP.largestSide).contains(settings.height) else {
      throw BackdropError(
        .overLimit,
        "the WebP would be \(settings.width)×\(settings.height); the limit is \(WebP.largestSide) pixels on a side",
        hint: "scale it down, or write an animated PNG")
    }
    self.settings = settings
  }

  package mutating func append(_ image: Image, from start: Int64, to end: Int64) throws(BackdropError) {
    try image.checkSize(settings.width, settings.height)
    let picture = settings.pixels(of: image)
    if before == nil { begin(picture.color.space) }
    let box = ChangedBox(before, picture, step: 2)
    let part = try picture.cropped(x: box.left, y: box.top, width: box.width, height: box.height)
    let file = try WebP.encode(part, quality: settings.quality, isLossless: settings.isLossless, isFast: true)
    let coded = try file.span.withUnsafeBytes { bytes throws(BackdropError) in
      try WebPStructure(bytes, limits: .standard).frame
    }
    // Computed from the end time, so that rounding errors do not accumulate.
    let over = settings.units(end, perSecond: 1000)
    let length = max(1, min(Self.longest, over - shown))
    shown += length
    let head = [box.left / 2, box.top / 2, box.width - 1, box.height - 1, length].flatMap { WebP.little($0, 3) }
    // The flag makes its pixels replace previous ones, and stay.
    add(WebP.chunk("ANMF", head + [2] + file[coded] + [UInt8](repeating: 0, count: coded.count % 2)))
    guard size < 1 << 32 - 16 else {
      throw BackdropError(
        .overLimit, "the WebP would be larger than 4 GB, its limit", hint: "choose a shorter part or a smaller size")
    }
    before = picture
    count += 1
  }

  package mutating func finish() -> [(offset: Int, bytes: [UInt8])] { [(4, WebP.little(size - 8, 4))] }

  package mutating func drain() -> [UInt8] { exchange(&bytes, with: []) }

  private mutating func begin(_ space: ColorSpace) {
    let profile = space.profileBytes(forGray: false) ?? []
    let marks = 2 | (settings.keepsAlpha ? 0x10 : 0) | (profile.isEmpty ? 0 : 0x20)
    let number = WebP.little
    add(Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8))
    add(WebP.chunk("VP8X", [UInt8(marks), 0, 0, 0] + number(settings.width - 1, 3) + number(settings.height - 1, 3)))
    if !profile.isEmpty { add(WebP.chunk("ICCP", profile)) }
    // A transparent background, and the number of repetitions.
    add(WebP.chunk("ANIM", [0, 0, 0, 0] + number(min(settings.plays, 65_535), 2)))
  }

  private mutating func add(_ part: [UInt8]) {
    bytes += part
    size += part.count
  }
}
