import BackdropImaging

extension Hint {
  static let leaveMeshOut = Hint("leaveMeshOut", "write points instead of a mesh")
  static let giveIntrinsics = Hint(
    "giveIntrinsics", "give the horizontal field of view, or fx,fy,cx,cy in pixels of the depth map")
  static let correctIntrinsics = Hint("correctIntrinsics", "give focal lengths above 0")
  static let keepEdges = Hint("keepEdges", "keep the points at edges")
}
