import BackdropImaging

/// A depth camera and the colour camera beside it, with everything needed to align their pictures.
public struct CameraPair: Sendable, Codable, Equatable {
  /// The depth camera.
  public var depth: CameraModel
  /// The colour camera.
  public var color: CameraModel
  /// From the depth camera to the colour camera.
  public var extrinsics: Extrinsics

  /// Makes a pair.
  public init(depth: CameraModel, color: CameraModel, extrinsics: Extrinsics) {
    self.depth = depth
    self.color = color
    self.extrinsics = extrinsics
  }
}
