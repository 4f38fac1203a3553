import BackdropImaging

extension Remedy {
  static let chooseLiveQuality = Remedy("chooseLiveQuality", "choose the high quality")
  static let leaveRawOut = Remedy("leaveRawOut", "turn the raw recording off")
  static let chooseSocketName = Remedy("chooseSocketName", "choose another name")
  static let chooseSocketFolder = Remedy("chooseSocketFolder", "choose another folder")
  static let chooseSocketPlace = Remedy("chooseSocketPlace", "choose another folder")
  static let endOtherSession = Remedy("endOtherSession", "end the other session, or give this one its own socket")
  static let startSession = Remedy("startSession", "start a session with the same socket")
  static let takePersonMattes = Remedy("takePersonMattes", "use mattes from the person network")
  static let leaveWindowOut = Remedy("leaveWindowOut", "start Backdrop from a desktop, or remove the window")
  static let startSimulation = Remedy(
    "startSimulation",
    "plug one in, or give a network camera's address; without a camera, use sim:")
  static let chooseSmallerSize = Remedy("chooseSmallerSize", "choose a smaller size, such as 640×480")
  static func writeToDevice(path: String) -> Remedy {
    Remedy("writeToDevice", "write to \(path)", ["path": path])
  }
  static let seeCameras = Remedy("seeCameras", "choose one from the list of cameras")
}
