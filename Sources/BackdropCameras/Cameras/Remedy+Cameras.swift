import BackdropImaging

extension Remedy.Code {
  /// Look at the list of cameras.
  package static let listCameras = Self("listCameras")
  /// Connect the camera, or look at the list of cameras.
  package static let connectOrListCameras = Self("connectOrListCameras")
  /// Check what the machine lacks.
  package static let examineMachine = Self("examineMachine")
}

extension Remedy {
  static let listCameras = Remedy(.listCameras, "list the cameras")
  static let connectOrListCameras = Remedy(.connectOrListCameras, "connect it, or list the cameras")
  static let examineMachine = Remedy(.examineMachine, "run the checks of this computer")
}
