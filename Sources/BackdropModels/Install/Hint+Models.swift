import BackdropImaging

extension Hint {
  package static let installNetworks = Hint("installNetworks", "install the person networks")
  package static func installNetwork(name: String) -> Hint {
    Hint("installNetwork", "install the network \(name)", ["name": name])
  }
  static let listNetworks = Hint("listNetworks", "check the name in the list of networks")
  static let describeInputSize = Hint("describeInputSize", "give the size in a JSON description of the network")
  static let leaveClassesOut = Hint("leaveClassesOut", "remove the classes: this network finds only people")
  static let chooseClassNetwork = Hint("chooseClassNetwork", "choose one with classes, such as deeplab-257")
}
