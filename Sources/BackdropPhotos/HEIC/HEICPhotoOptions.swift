import BackdropImaging

/// How to write a photo as a HEIC file.
public struct HEICPhotoOptions: Sendable, Hashable {
  /// The colour picture's quality if it must be encoded.
  public var quality: HEICQuality
  /// The quality of gain maps that must be encoded. Depth and mattes are lossless.
  public var gainMapQuality: HEICQuality
  /// The bits of depth with more than 8 bits: 8, 10 or 12. Phones write and read 8.
  public var deepDepthBits: Int
  /// Threads for encoding; by default one per processor.
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
