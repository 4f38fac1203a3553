import BackdropImaging

extension Remedy.Code {
  /// Record no raw depth.
  package static let leaveRawOut = Self("leaveRawOut")
  /// Choose another name for the control socket.
  package static let chooseSocketName = Self("chooseSocketName")
  /// Choose another folder for the control socket.
  package static let chooseSocketFolder = Self("chooseSocketFolder")
  /// Choose another place for the control socket.
  package static let chooseSocketPlace = Self("chooseSocketPlace")
  /// End the other session, or give this one its own socket.
  package static let endOtherSession = Self("endOtherSession")
  /// Start a live session.
  package static let startSession = Self("startSession")
  /// Let the person network make mattes.
  package static let takePersonMattes = Self("takePersonMattes")
  /// Leave out the preview window.
  package static let leaveWindowOut = Self("leaveWindowOut")
  /// Connect a camera, name a network camera, or choose the simulated one.
  package static let startSimulation = Self("startSimulation")
  package static let chooseSmallerSize = Self("chooseSmallerSize")
  /// Choose a quality that keeps up with a camera.
  package static let chooseLiveQuality = Self("chooseLiveQuality")
  /// Write to the device at `path`.
  package static let writeToDevice = Self("writeToDevice")
  /// Look at the list of cameras.
  package static let seeCameras = Self("seeCameras")
}

extension Remedy {
  static let chooseLiveQuality = Remedy(.chooseLiveQuality, "choose the high quality")
  static let leaveRawOut = Remedy(.leaveRawOut, "turn the raw recording off")
  static let chooseSocketName = Remedy(.chooseSocketName, "choose another name")
  static let chooseSocketFolder = Remedy(.chooseSocketFolder, "choose another folder")
  static let chooseSocketPlace = Remedy(.chooseSocketPlace, "choose another folder")
  static let endOtherSession = Remedy(.endOtherSession, "end the other session, or give this one its own socket")
  static let startSession = Remedy(.startSession, "start a session with the same socket")
  static let takePersonMattes = Remedy(.takePersonMattes, "use mattes from the person network")
  static let leaveWindowOut = Remedy(.leaveWindowOut, "start Backdrop from a desktop, or remove the window")
  static let startSimulation = Remedy(
    .startSimulation,
    "plug one in, or give a network camera's address; without a camera, use sim:")
  static let chooseSmallerSize = Remedy(.chooseSmallerSize, "choose a smaller size, such as 640×480")
  static func writeToDevice(path: String) -> Remedy {
    Remedy(.writeToDevice, "write to \(path)", ["path": path])
  }
  static let seeCameras = Remedy(.seeCameras, "choose one from the list of cameras")
}
