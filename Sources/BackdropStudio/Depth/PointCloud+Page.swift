import Backdrop

extension PointCloud {
  /// Writes the points of a depth map as a file. A camera without lens data is assumed to have a horizontal field of
  /// view of 60°.
  static func file(
    _ depth: DepthMap?, _ picture: Image?, _ kind: PointCloud.FileKind
  ) throws(BackdropError) -> [UInt8] {
    guard var depth, !depth.isEmpty else {
      throw BackdropError(
        .unsupported, "the camera sends no depth", hint: "choose a camera with depth, or the simulated camera")
    }
    if depth.intrinsics == nil {
      depth.intrinsics = try Intrinsics(fieldOfView: 60, width: depth.width, height: depth.height)
    }
    return try PointCloud(depth, picture: picture?.converted(to: .rgba8)).file(kind)
  }
}
