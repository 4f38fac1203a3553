extension BackdropError {
  /// The error of an input that ended before its first usable frame.
  static func noFrame(in name: String) -> BackdropError {
    BackdropError(.badData, "the input has no frame to use", path: name, hint: "give a longer one")
  }
}
