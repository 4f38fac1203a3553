import BackdropCodecs
import BackdropImaging
import BackdropPhotos

/// Pictures of standby frames, plates and backgrounds: whatever photos are read from, by the same readers.
package enum StillPicture {
  /// Reads one, upright.
  ///
  /// - Parameter format: the pixel format to get; `nil` for what suits the file.
  /// - Throws: as ``Picture/load(_:as:upright:limits:)`` and ``DepthPhoto/read(_:limits:)`` do, with the path.
  package static func load(
    _ path: String, as format: PixelFormat? = nil, limits: ImageLimits = .standard
  ) throws(BackdropError) -> Image {
    let head = try InputFile.head(path)
    guard DepthPhoto.container(of: head.span) != nil else {
      // Its words for what is no picture suit better.
      return try Picture.load(path, as: format, upright: true, limits: limits)
    }
    let photo = try DepthPhoto.read(path, limits: limits)
    do {
      return try photo.image(as: format)
    } catch {
      throw error.at(path)
    }
  }
}
