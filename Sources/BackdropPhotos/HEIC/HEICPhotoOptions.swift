import BackdropImaging

/// How a photo is written as a HEIC file.
public struct HEICPhotoOptions: Sendable, Hashable {
  /// The colour picture's quality where it has to be coded.
  public var quality: HEICQuality
  /// The quality of gain maps where they have to be coded. Depth and mattes lose nothing.
  public var gainMapQuality: HEICQuality
  /// Bits of depth that has more than 8 bits: 8, 10 or 12. Phones write and read 8.
  public var deepDepthBits: Int
  /// Threads to code on; by default one for each processor.
  public var threads: Int?

  /// Makes options.
  public init(
    quality: HEICQuality = .standard, gainMapQuality: HEICQuality = HEICQuality(rateFactor: 12),
    deepDepthBits: Int = 12, threads: Int? = nil
  ) {
    self.quality = quality
    self.gainMapQuality = gainMapQuality
    self.deepDepthBits = deepDepthBits
    self.threads = threads
  }
}
