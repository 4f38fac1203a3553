import BackdropImaging
import BackdropPhotos

/// The media types of the service's results.
enum MediaType {
  private static let ofVideos = [
    "gif": "image/gif", "apng": "image/apng", "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime",
    "mkv": "video/matroska", "webm": "video/webm",
  ]

  static func named(_ path: String) -> String {
    let fileExtension = FileName(path).fileExtension
    let kind = DepthPhoto.pictureContainer(named: path)
    return kind.map { "image/\($0.name)" } ?? ofVideos[fileExtension] ?? "application/octet-stream"
  }

  /// The extension of videos with a media type, such as `video/webm`; empty for other types.
  static func videoExtension(of type: String) -> String {
    let name = type.prefix { $0 != ";" }.lowercased().replacing("/x-", with: "/")
    return videoFormats.first { ofVideos[$0] == name && name.hasPrefix("video/") } ?? ""
  }

  /// The media types of pictures that a client may request.
  static let pictures = DepthPhoto.written.map { "image/\($0.name)" }
  /// The values of `format` for pictures.
  static let pictureFormats = DepthPhoto.written.map { $0.fileExtensions[0] }
  /// The values of `format` for videos and animations.
  static let videoFormats = ["mp4", "mov", "mkv", "webm", "gif", "apng"]
}
