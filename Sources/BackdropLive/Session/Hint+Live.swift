import BackdropImaging

extension Hint {
  static let chooseLiveQuality = Hint("chooseLiveQuality", "choose the high quality")
  static let leaveRawOut = Hint("leaveRawOut", "turn the raw recording off")
  static let chooseSocketName = Hint("chooseSocketName", "choose another name")
  static let chooseSocketFolder = Hint("chooseSocketFolder", "choose another folder")
  static let chooseSocketPlace = Hint("chooseSocketPlace", "choose another folder")
  static let endOtherSession = Hint("endOtherSession", "end the other session, or give this one its own socket")
  static let startSession = Hint("startSession", "start a session with the same socket")
  static let usePersonMattes = Hint("usePersonMattes", "use mattes from the person network")
  static let leaveWindowOut = Hint("leaveWindowOut", "start Backdrop from a desktop, or remove the window")
  static let startSimulation = Hint(
    "startSimulation", "plug one in, or give a network camera's address; without a camera, use sim:")
  static let chooseSmallerSize = Hint("chooseSmallerSize", "choose a smaller size, such as 640×480")
  static func writeToDevice(path: String) -> Hint { Hint("writeToDevice", "write to \(path)", ["path": path]) }
  static let seeCameras = Hint("seeCameras", "choose one from the list of cameras")
}
