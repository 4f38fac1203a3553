import BackdropImaging

extension Remedy.Code {
  /// Give depth to an input without depth.
  package static let giveDepth = Self("giveDepth")
  /// Give the colour of the screen.
  package static let nameScreenColor = Self("nameScreenColor")
}

extension Remedy {
  static let giveDepth = Remedy(.giveDepth, "give a depth map")
  static let nameScreenColor = Remedy(.nameScreenColor, "give the screen's colour, such as #00B140")
}
