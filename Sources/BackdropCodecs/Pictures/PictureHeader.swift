import BackdropImaging

/// The header of a picture file, read without decoding a pixel.
public struct PictureHeader: Sendable {
  /// Size of the picture as stored.
  public var width: Int, height: Int
  /// How to turn it upright, by the file's own marks; `nil` if EXIF says so.
  public var orientation: Orientation?
  /// The colours of its samples.
  public var colorSpace: ColorSpace
  /// EXIF, XMP and the like.
  public var metadata: PictureMetadata
  /// The number of pictures; more than one in an animation or a sequence.
  public var frameCount = 1
  /// Bits of a sample; 8 also for fewer.
  public var bitsPerSample = 8
  /// Whether samples are 16-bit grey, and stay so when decoded.
  package var isDeepGray = false
}
