// The remedies of the studio and the service. They are here because the command names them without linking either.

extension Remedy {
  package static let givePassword = Remedy(
    "givePassword", "set a password of 8 characters or more, or forward the port with ssh, which is safer")
  package static let leavePortOut = Remedy("leavePortOut", "remove the port")
  package static let choosePort = Remedy("choosePort", "choose another port")
  package static let chooseOrLeavePortOut = Remedy("chooseOrLeavePortOut", "choose another port, or remove it")
  package static let giveKeys = Remedy("giveKeys", "give a file of keys, or listen on 127.0.0.1")
  package static let addKey = Remedy("addKey", "write a line for each key: NAME SHA256")
}
