import BackdropImaging

extension Remedy.Code {
  /// Give a password.
  public static let givePassword = Self("givePassword")
  /// Ask for no port.
  public static let leavePortOut = Self("leavePortOut")
  /// Choose another port.
  public static let choosePort = Self("choosePort")
  /// Choose another port, or none.
  public static let chooseOrLeavePortOut = Self("chooseOrLeavePortOut")
}

extension Remedy {
  static let givePassword = Remedy(
    .givePassword,
    "set a password of 8 characters or more, or forward the port with ssh, which is safer")
  static let leavePortOut = Remedy(.leavePortOut, "remove the port")
  static let choosePort = Remedy(.choosePort, "choose another port")
  static let chooseOrLeavePortOut = Remedy(.chooseOrLeavePortOut, "choose another port, or remove it")
}
