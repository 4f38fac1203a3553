import BackdropDepth
import BackdropImaging

extension SceneSource {
  /// Checks that a picture has the size of those before it, if there are any; the message names `path`.
  func checkSize(of image: Image, path: String? = nil) throws(BackdropError) {
    guard width == 0 || (image.width == width && image.height == height) else {
      throw BackdropError(
        .badData, "the picture is \(image.width)×\(image.height), but those before it are \(width)×\(height)",
        path: path)
    }
  }
}
