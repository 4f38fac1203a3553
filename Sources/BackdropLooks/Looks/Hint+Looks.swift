import BackdropImaging

extension Hint {
  static let startFromLook = Hint("startFromLook", "start from a built-in look")
  static let compareLook = Hint("compareLook", "compare it with a built-in look")
}
