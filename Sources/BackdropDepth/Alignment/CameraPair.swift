/// A depth camera and the colour camera beside it, with everything needed to align their pictures.
package struct CameraPair: Sendable, Codable, Equatable {
  package var depth: CameraModel
  package var color: CameraModel
  /// From the depth camera to the colour camera.
  package var extrinsics: Extrinsics

  package init(depth: CameraModel, color: CameraModel, extrinsics: Extrinsics) {
    self.depth = depth
    self.color = color
    self.extrinsics = extrinsics
  }
}
