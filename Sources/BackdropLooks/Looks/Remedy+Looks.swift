import BackdropImaging

extension Remedy.Code {
  /// See the format of a look.
  package static let seeLook = Self("seeLook")
  /// Start from a valid look.
  package static let startFromLook = Self("startFromLook")
  /// Compare with a valid look.
  package static let compareLook = Self("compareLook")
}

extension Remedy {
  static let seeLook = Remedy(.seeLook, "compare it with a built-in look")
  static let startFromLook = Remedy(.startFromLook, "start from a built-in look")
  static let compareLook = Remedy(.compareLook, "compare it with a built-in look")
}
