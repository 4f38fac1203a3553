/// The clean plate of a stream, read from a picture file; see ``PlateJob``.
enum CleanPlate {
  /// Loads the plate.
  ///
  /// - Parameters:
  ///   - width: of the stream's pictures.
  ///   - height: of them.
  ///   - limits: the largest picture to read.
  /// - Throws: errors in the file; `wrongArgument` if its aspect differs by more than 1 % from the stream's.
  static func load(_ path: String, width: Int, height: Int, limits: ImageLimits) throws(BackdropError) -> Image {
    guard FileKind(path) != .absent else {
      throw BackdropError(.wrongArgument, "no such plate", path: path, hint: .givePlate)
    }
    let picture = try SceneInput.picture(path, limits: limits).image
    let (wide, high) = (Double(picture.width * height), Double(picture.height * width))
    guard abs(wide - high) <= 0.01 * max(wide, high) else {
      throw BackdropError(
        .wrongArgument,
        "the plate (\(picture.width)×\(picture.height)) and the input (\(width)×\(height)) have different aspect ratios",
        path: path, hint: .retakePlate)
    }
    return picture
  }
}
