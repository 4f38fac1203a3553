/// The namespaces in which Apple describes photos' auxiliary images, as written in files.
enum AppleNamespace {
  static let pixelData = "http://ns.apple.com/pixeldatainfo/1.0/"
  /// Depth and the camera.
  static let depthData = "http://ns.apple.com/depthData/1.0/"
  static let portraitMatte = "http://ns.apple.com/portraitEffectsMatte/1.0/"
  static let semanticMatte = "http://ns.apple.com/semanticSegmentationMatte/1.0/"
  static let gainMap = "http://ns.apple.com/HDRGainMap/1.0/"
}
