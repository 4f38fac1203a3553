import BackdropCodecs
import BackdropImaging

extension DepthPhoto {
  /// A PNG picture with its colour profile and EXIF. Its pixels are upright: EXIF's orientation is not heeded in PNG files.
  static func readPNG(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    let picture = try PNGPicture(bytes, limits: limits)
    return DepthPhoto(picture: picture, metadata: PhotoMetadata(exif: try PNG.exif(of: bytes)), container: .png)
  }

  /// The colour picture as a PNG file, upright, with its colour profile and EXIF; depth and mattes have no place in one.
  ///
  /// - Throws: what decoding and encoding throw.
  public func png() throws(BackdropError) -> [UInt8] {
    var metadata = self.metadata
    metadata.setEXIFOrientation(.up)
    return try PNG.encode(image(), exif: metadata.exif)
  }
}
