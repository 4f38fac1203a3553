import BackdropImaging

extension Remedy {
  static let listCameras = Remedy("listCameras", "list the cameras")
  static let connectOrListCameras = Remedy("connectOrListCameras", "connect it, or list the cameras")
  static let examineMachine = Remedy("examineMachine", "run the checks of this computer")
}
