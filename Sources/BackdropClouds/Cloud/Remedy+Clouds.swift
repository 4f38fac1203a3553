import BackdropImaging

extension Remedy {
  static let leaveMeshOut = Remedy("leaveMeshOut", "write points instead of a mesh")
  static let giveIntrinsics = Remedy(
    "giveIntrinsics",
    "give the horizontal field of view, or fx,fy,cx,cy in pixels of the depth map")
  static let correctIntrinsics = Remedy("correctIntrinsics", "give focal lengths above 0")
  static let keepEdges = Remedy("keepEdges", "keep the points at edges")
}
