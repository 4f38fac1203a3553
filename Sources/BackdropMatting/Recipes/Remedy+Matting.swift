import BackdropImaging

extension Remedy.Code {
  /// Give depth to what has none.
  public static let giveDepth = Self("giveDepth")
}

extension Remedy {
  static let giveDepth = Remedy(.giveDepth, "give a depth map")
}
