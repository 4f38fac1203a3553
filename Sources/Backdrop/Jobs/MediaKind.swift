/// Whether to read a file as a picture or as a video; GIF and animated PNG files are videos.
enum MediaKind {
  case picture, video

  /// Decides by the first bytes. The video reader gets unknown files, unless their extension belongs to a picture.
  init(path: String) throws(BackdropError) {
    let head = try InputFile.head(path)
    let content = FileContent(head.span)
    let isAnimated = try Self.isAnimatedPNG(path, head, content)
    switch content {
    case _ where isAnimated: self = .video
    case _ where DepthPhoto.container(of: head.span) != nil: self = .picture
    case .picture: self = .picture
    case .video: self = .video
    case .otherPicture, .rarePicture, .raw, .document, .unknown:
      if let refusal = content.refusal { throw refusal.at(path) }
      guard DepthPhoto.hasExtension(path) else {
        self = .video
        return
      }
      throw BackdropError(
        .badData, "this is not a \(DepthPhoto.names(of: DepthPhoto.containers)) picture", path: path,
        hint: "give a \(DepthPhoto.fileExtensions(of: DepthPhoto.containers)) file")
    }
  }

  /// Whether a file is an animated PNG. Large metadata may precede the decisive chunk, so this may read the whole file.
  private static func isAnimatedPNG(
    _ path: String, _ head: [UInt8], _ content: FileContent
  ) throws(BackdropError) -> Bool {
    guard case .picture(.png) = content else { return false }
    if let known = PNG.isAnimated(head) { return known }
    let whole = try InputFile.read(path)
    return PNG.isAnimated(whole) ?? false
  }
}
