import BackdropImaging
import BackdropPhotos

/// The media types of what the service sends.
enum MediaType {
  private static let kinds = DepthPhoto.containers.compactMap { $0 as? any WritablePhotoContainer }
  private static let ofVideos = [
    "gif": "image/gif", "apng": "image/apng", "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime",
    "mkv": "video/matroska", "webm": "video/webm",
  ]

  /// The type of a file by its name.
  static func named(_ path: String) -> String {
    let ending = FileName(path).ending
    let kind = kinds.first { $0.endings.contains(ending) }
    return kind.map { "image/\($0.name)" } ?? ofVideos[ending] ?? "application/octet-stream"
  }

  /// The types of pictures that a client may ask for.
  static let pictures = kinds.map { "image/\($0.name)" }
  /// The endings by which a client asks for them.
  static let pictureFormats = kinds.map { $0.endings[0] }
  /// The endings by which a client asks for videos and animations.
  static let videoFormats = ["mp4", "mov", "mkv", "webm", "gif", "apng"]
}
