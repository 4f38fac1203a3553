import BackdropCodecs

/// How to write a photo as a file. Each kind of file uses the options that apply to it.
public struct PhotoFileOptions: Sendable, Equatable {
  /// The storage of depth in the file.
  public enum Form: String, Sendable, Codable, CaseIterable {
    /// As in iOS, in a JPEG file: each image is a grey JPEG after the picture, listed in a Multi-Picture index, described by XMP. Depth
    /// gets 8 bits.
    case apple
    /// As in Google's Dynamic Depth: depth, its confidence and the portrait matte are PNG files after the picture,
    /// exact to their 8 or 16 bits. Other images are added in Apple's form.
    case dynamicDepth
  }

  /// The storage of depth in the file.
  public var form: Form
  /// Quality of the colour picture and of the gain map (1…100) if they must be encoded.
  public var quality: Int
  /// Quality of depth and mattes if they must be encoded; at 100 a sample is usually off by at most 1 of 255.
  public var auxiliaryQuality: Int
  /// Whether files keep every pixel, in formats that leave the choice.
  public var isLossless: Bool

  /// Makes options.
  public init(
    form: Form = .apple, quality: Int = Picture.standardQuality, auxiliaryQuality: Int = 100, isLossless: Bool = false
  ) {
    self.form = form
    self.quality = quality
    self.auxiliaryQuality = auxiliaryQuality
    self.isLossless = isLossless
  }
}
