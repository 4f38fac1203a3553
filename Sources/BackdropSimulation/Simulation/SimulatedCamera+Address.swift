import BackdropImaging

extension SimulatedCamera {
  /// Whether a text is meant as a simulated camera's address, even if the rest is misspelt.
  package static func isAddress(_ text: String) -> Bool { text.hasPrefix("sim:") }

  /// The camera of an address: `sim:`, `sim:mug`, `sim:two-people?seed=2&seconds=10&size=1280x720&depth=640x480&fps=30`.
  ///
  /// The scenario is ``Scenario/talking`` if none is named; the parameters, in any order, are
  /// `seed` (0…18446744073709551615, default 1), `seconds` (0…86400, default 10), `size` and `depth` (width×height,
  /// 16…4096 each, default 1280x720 and half the picture's size), `fps` (1…240, default 30), `walk` (1…3600 seconds in which two
  /// people walk past each other and back; without it they stay).
  ///
  /// - Throws: `wrongArgument` for anything else, with a hint that lists the possible values.
  package convenience init(address: String) throws(BackdropError) {
    let settings = try Settings(address)
    self.init(
      scenario: settings.scenario, seed: settings.seed, width: settings.size.width, height: settings.size.height,
      depthWidth: settings.depth?.width, depthHeight: settings.depth?.height, framesPerSecond: settings.rate,
      seconds: settings.seconds, walkSeconds: settings.walk)
  }

  package struct Settings {
    var scenario = Scenario.talking
    var seed: UInt64 = 1
    var size = (width: 1280, height: 720)
    var depth: (width: Int, height: Int)?
    var rate = 30.0
    var seconds = 10.0
    var walk: Double?

    package init(_ address: String) throws(BackdropError) {
      guard SimulatedCamera.isAddress(address) else {
        throw BackdropError(.wrongArgument, "not the address of a simulated camera", path: address, hint: Settings.hint)
      }
      let parameters = try AddressParameters(address, address.dropFirst(4))
      let name = parameters.name
      do throws(BackdropError) {
        if !name.isEmpty { scenario = try Scenario(known: name, or: "there is no simulated scene '\(name)'") }
        for (key, value) in parameters.all { try set(key, value) }
      } catch {
        throw error.at(address)
      }
      guard walk == nil || scenario == .twoPeople else {
        throw BackdropError(
          .wrongArgument, "the scene '\(scenario.rawValue)' has nobody who walks", path: address,
          hint: "write sim:two-people?walk=8")
      }
    }

    private static let hint = "for example sim:talking?seed=1&seconds=10&size=1280x720&depth=640x360&fps=30"

    private mutating func set(_ key: String, _ value: String) throws(BackdropError) {
      switch key {
      case "seed":
        guard let number = UInt64(value) else {
          throw AddressParameters.bad(key, value, "a whole number from 0 to \(UInt64.max)")
        }
        seed = number
      case "seconds": seconds = try Settings.number(key, value, SimulatedCamera.durations)
      case "fps": rate = try Settings.number(key, value, SimulatedCamera.rates)
      case "walk": walk = try Settings.number(key, value, SimulatedCamera.walks)
      case "size": size = try AddressParameters.size(key, value, sides: SimulatedCamera.sides)
      case "depth": depth = try AddressParameters.size(key, value, sides: SimulatedCamera.sides)
      default:
        throw BackdropError(
          .wrongArgument, "a simulated camera has no parameter '\(key)'",
          hint: .known(["seed", "seconds", "size", "depth", "fps", "walk"], insteadOf: String(key)))
      }
    }

    private static func number(_ key: String, _ value: String, _ range: ClosedRange<Double>) throws(BackdropError)
      -> Double
    {
      guard let number = Double(value), range.contains(number) else {
        throw AddressParameters.bad(key, value, "a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
      }
      return number
    }
  }
}
