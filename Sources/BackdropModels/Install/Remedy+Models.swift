import BackdropImaging

extension Remedy {
  package static let installNetworks = Remedy("installNetworks", "install the person networks")
  package static func installNetwork(name: String) -> Remedy {
    Remedy("installNetwork", "install the network \(name)", ["name": name])
  }
  static let listNetworks = Remedy("listNetworks", "check the name in the list of networks")
  static let describeInputSize = Remedy("describeInputSize", "give the size in a JSON description of the network")
  static let leaveClassesOut = Remedy("leaveClassesOut", "remove the classes: this network finds only people")
  static let chooseClassNetwork = Remedy("chooseClassNetwork", "choose one with classes, such as deeplab-257")
}
