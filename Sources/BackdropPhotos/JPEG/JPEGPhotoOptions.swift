/// How a photo is written: as a JPEG file, and as far as they have such things, as a file of another kind.
public struct JPEGPhotoOptions: Sendable, Equatable {
  /// How depth is stored in the file.
  public enum Form: String, Sendable, Codable, CaseIterable {
    /// As iOS does: each image is a grey JPEG behind the picture, listed in a Multi-Picture index, described by XMP.
    /// Depth gets 8 bits.
    case apple
    /// As Google's Dynamic Depth does: depth, its confidence and the portrait matte are PNG files behind the picture,
    /// exact to their 8 or 16 bits. Images that it has no place for go along in Apple's form.
    case dynamicDepth
  }

  /// How depth is stored in the file.
  public var form: Form
  /// Quality of the colour picture and of the gain map (1…100) where they have to be encoded.
  public var quality: Int
  /// Quality of depth and mattes where they have to be encoded; at 100 a sample is off by 1 of 255, mostly.
  public var auxiliaryQuality: Int
  /// Whether WebP and AVIF files keep every pixel.
  public var isLossless: Bool

  /// Makes options.
  public init(form: Form = .apple, quality: Int = 95, auxiliaryQuality: Int = 100, isLossless: Bool = false) {
    self.form = form
    self.quality = quality
    self.auxiliaryQuality = auxiliaryQuality
    self.isLossless = isLossless
  }
}
