import BackdropImaging

extension Remedy.Code {
  /// Use points in place of a mesh.
  package static let leaveMeshOut = Self("leaveMeshOut")
  /// Give the camera's intrinsics.
  package static let giveIntrinsics = Self("giveIntrinsics")
  /// Give possible focal lengths.
  package static let correctIntrinsics = Self("correctIntrinsics")
  /// Keep points at the edges.
  package static let keepEdges = Self("keepEdges")
}

extension Remedy {
  static let leaveMeshOut = Remedy(.leaveMeshOut, "write points instead of a mesh")
  static let giveIntrinsics = Remedy(
    .giveIntrinsics,
    "give the horizontal field of view, or fx,fy,cx,cy in pixels of the depth map")
  static let correctIntrinsics = Remedy(.correctIntrinsics, "give focal lengths above 0")
  static let keepEdges = Remedy(.keepEdges, "keep the points at edges")
}
