import BackdropImaging

extension Remedy {
  static let giveDepth = Remedy("giveDepth", "give a depth map")
  static let nameScreenColor = Remedy("nameScreenColor", "give the screen's colour, such as #00B140")
}
