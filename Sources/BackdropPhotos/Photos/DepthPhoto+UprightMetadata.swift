import BackdropCodecs
import BackdropImaging

extension DepthPhoto {
  /// The metadata of an upright picture without depth, for a kind of file.
  func uprightMetadata(for places: PictureMetadata.Fields) throws(BackdropError) -> PictureMetadata {
    var metadata = metadata.fitted(to: places).metadata
    if orientation != .up {
      // Positions and previews are those of the stored picture, so remove them.
      var dropsGainMap = true
      _ = metadata.describe(PictureReplacement(keepsGeometry: false), dropsGainMap: &dropsGainMap)
    }
    metadata.setSize(width: width, height: height, .up)
    let packet = try metadata.xmp.map { packet throws(BackdropError) in try XMPEditor.withoutDepth(packet) }
    var result = PictureMetadata(exif: metadata.exif, xmp: packet)
    result.texts = metadata.texts
    result.pixelsPerMetre = metadata.density.flatMap(\.pixelsPerMetre)
    return result
  }
}
