// The hints of the studio and the service. They are here because the command names them without linking either.

extension Hint {
  package static let givePassword = Hint(
    "givePassword", "set a password of 8 characters or more, or forward the port with ssh, which is safer")
  package static let leavePortOut = Hint("leavePortOut", "remove the port")
  package static let choosePort = Hint("choosePort", "choose another port")
  package static let chooseOrLeavePortOut = Hint("chooseOrLeavePortOut", "choose another port, or remove it")
  package static let giveKeys = Hint("giveKeys", "give a file of keys, or listen on 127.0.0.1")
  package static let addKey = Hint("addKey", "write a line for each key: NAME SHA256")
}
