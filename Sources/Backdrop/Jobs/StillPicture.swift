import BackdropCodecs
import BackdropImaging
import BackdropPhotos

/// Pictures of jobs, cards and backgrounds: PNG, JPEG or HEIC.
package enum StillPicture {
  /// Reads one, upright.
  ///
  /// - Parameter format: the pixel format to get; `nil` for what suits the file.
  /// - Throws: as ``Picture/load(_:as:upright:limits:)`` and ``DepthPhoto/read(_:limits:)`` do, with the path.
  package static func load(_ path: String, as format: PixelFormat? = nil) throws(BackdropError) -> Image {
    let head = try InputFile.head(path)
    guard FileContent(head.span) == .heic else {
      return try Picture.load(path, as: format, upright: true)
    }
    let photo = try DepthPhoto.read(path)
    do {
      return try photo.image(as: format)
    } catch {
      throw error.at(path)
    }
  }
}
