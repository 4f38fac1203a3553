import BackdropImaging

extension Remedy.Code {
  /// Install the networks and their runtime.
  package static let installNetworks = Self("installNetworks")
  /// Install the network `name`, which is not part of the standard install.
  package static let installNetwork = Self("installNetwork")
  /// Look at the list of networks.
  package static let listNetworks = Self("listNetworks")
  /// Give the size in a network's description.
  package static let describeInputSize = Self("describeInputSize")
  /// Name no classes for a person network.
  package static let leaveClassesOut = Self("leaveClassesOut")
  /// Choose a network with classes.
  package static let chooseClassNetwork = Self("chooseClassNetwork")
}

extension Remedy {
  package static let installNetworks = Remedy(.installNetworks, "install the person networks")
  package static func installNetwork(name: String) -> Remedy {
    Remedy(.installNetwork, "install the network \(name)", ["name": name])
  }
  static let listNetworks = Remedy(.listNetworks, "check the name in the list of networks")
  static let describeInputSize = Remedy(.describeInputSize, "give the size in a JSON description of the network")
  static let leaveClassesOut = Remedy(.leaveClassesOut, "remove the classes: this network finds only people")
  static let chooseClassNetwork = Remedy(.chooseClassNetwork, "choose one with classes, such as deeplab-257")
}
