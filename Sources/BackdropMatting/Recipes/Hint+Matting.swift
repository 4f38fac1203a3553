import BackdropImaging

extension Hint {
  static let giveDepth = Hint("giveDepth", "give a depth map")
  static let nameScreenColor = Hint("nameScreenColor", "give the screen's colour, such as #00B140")
}
