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
    "give a password with 8 characters or more; better, forward the port by ssh")
  static let leavePortOut = Remedy(.leavePortOut, "leave the port out")
  static let choosePort = Remedy(.choosePort, "choose another one")
  static let chooseOrLeavePortOut = Remedy(.chooseOrLeavePortOut, "choose another one, or leave it out")
}
