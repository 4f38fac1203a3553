import BackdropImaging

/// The header of a picture file, read without decoding a pixel.
package struct PictureHeader: Sendable {
  /// Size of the picture as stored.
  package var width: Int, height: Int
  package var orientation: Orientation?
  package var colorSpace: ColorSpace
  package var metadata: PictureMetadata
  /// The number of pictures; more than one in an animation or a sequence.
  package var frameCount = 1
  /// Bits of a sample; 8 also for fewer.
  package var bitsPerSample = 8
  /// Whether samples are 16-bit grey, and stay so when decoded.
  package var isDeepGray = false
}
