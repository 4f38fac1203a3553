import BackdropImaging

extension Remedy {
  static let seeLook = Remedy("seeLook", "compare it with a built-in look")
  static let startFromLook = Remedy("startFromLook", "start from a built-in look")
  static let compareLook = Remedy("compareLook", "compare it with a built-in look")
}
