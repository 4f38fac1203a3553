import Backdrop

/// Photos of a live session's camera view, with depth, matte and calibration, like those of a phone's camera.
enum LiveSnapshot {
  /// Writes a photo as `.heic` or `.jpg`.
  static func write(_ preview: Preview, to path: String) throws(BackdropError) {
    _ = try DepthPhoto.container(named: path)
    let file = try OutputFile(path, overwrite: false)
    guard let scene = preview.scene, let matte = preview.matte else {
      throw BackdropError(
        .badData, "Backdrop shows the standby frame, so there is no picture to keep",
        hint: "try again when you are in the picture")
    }
    let plain = DepthPhoto(picture: DecodedPicture(scene.flattened.converted(to: .i420, color: .jpeg)))
    var depth: PhotoDepth?
    if let map = scene.depth, !map.isEmpty {
      depth = PhotoDepth(
        map.disparity, as: .uint8, calibration: map.intrinsics.map { CameraCalibration(intrinsics: $0) })
    }
    let photo = try DepthPhoto(
      plain, depth: depth,
      mattes: [.portrait: matte.scaled(toWidth: scene.image.width / 2, height: scene.image.height / 2).image])
    try photo.write(to: file)
  }
}
