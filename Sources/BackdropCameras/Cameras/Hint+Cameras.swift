import BackdropImaging

extension Hint {
  static let listCameras = Hint("listCameras", "list the cameras")
  static let connectOrListCameras = Hint("connectOrListCameras", "connect it, or list the cameras")
  static let examineMachine = Hint("examineMachine", "run the checks of this computer")
}
