import BackdropImaging

extension Remedy.Code {
  /// Take points in place of a mesh.
  public static let leaveMeshOut = Self("leaveMeshOut")
  /// Say how the camera sees.
  public static let giveIntrinsics = Self("giveIntrinsics")
  /// Give focal lengths that are possible.
  public static let correctIntrinsics = Self("correctIntrinsics")
  /// Keep points at the edges.
  public static let keepEdges = Self("keepEdges")
}

extension Remedy {
  static let leaveMeshOut = Remedy(.leaveMeshOut, "take points instead")
  static let giveIntrinsics = Remedy(
    .giveIntrinsics,
    "give the field of view across the picture, or fx,fy,cx,cy in pixels of the depth map")
  static let correctIntrinsics = Remedy(.correctIntrinsics, "focal lengths are above 0; give others")
  static let keepEdges = Remedy(.keepEdges, "keep them")
}
