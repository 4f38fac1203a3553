/// Limits for hostile files, checked before memory is allocated.
public struct ImageLimits: Sendable, Equatable {
  /// Largest width or height in pixels.
  public var side: Int
  /// Largest number of pixels.
  public var pixels: Int
  /// The most memory for processing one picture, in bytes: ``memoryNeeded(forPixels:)`` of the largest picture.
  public var memory: Int

  /// Makes limits.
  public init(side: Int, pixels: Int, memory: Int = 4_000_000_000) {
    (self.side, self.pixels, self.memory) = (side, pixels, memory)
  }

  /// 32,768 on a side, 200 megapixels, and 4 GB of memory, more than 200 megapixels need.
  public static let standard = ImageLimits(side: 32_768, pixels: 200_000_000)

  /// The budget: the maximum memory in bytes of a job whose largest picture has this many pixels, 16 per pixel and 300 MB for networks,
  /// libraries and the program itself.
  public static func memoryNeeded(forPixels pixels: Int) -> Int { 16 * pixels + 300_000_000 }

  /// - Throws: `overLimit`, or `badData` for a size without pixels.
  public func check(width: Int, height: Int) throws(BackdropError) {
    guard width > 0 && height > 0 else {
      throw BackdropError(.badData, "the picture has no pixels (\(width)×\(height))")
    }
    guard width <= side && height <= side && width * height <= pixels else {
      throw BackdropError(
        .overLimit, "the picture (\(width)×\(height)) is over the limit of \(side) on a side and \(pixels) pixels",
        hint: .allowPixels)
    }
    try check(memory: Self.memoryNeeded(forPixels: width * height), for: "a picture of \(width)×\(height)")
  }

  /// Throws `overLimit` if `needed` bytes, the most to use for `what` (words for a sentence), exceed the limit.
  package func check(memory needed: Int, for what: String) throws(BackdropError) {
    guard needed <= memory else {
      throw BackdropError(
        .overLimit, "\(what) may need \(Self.megabytes(needed)) of memory; the limit is \(Self.megabytes(memory))",
        hint: .allowMemory)
    }
  }

  private static func megabytes(_ bytes: Int) -> String { "\((bytes + 999_999) / 1_000_000) MB" }
}
