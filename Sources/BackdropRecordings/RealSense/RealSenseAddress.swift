import BackdropImaging

/// The address of a RealSense camera: `realsense:`, or `realsense:SERIAL?preset=high-accuracy&emitter=off&depth=848x480`.
struct RealSenseAddress {
  /// The serial number; empty for the first camera.
  var serial: String
  /// The camera's own name of a preset, in lower case with hyphens; `nil` leaves the camera unchanged.
  var preset: String?
  /// Whether the camera projects its infrared pattern; `nil` leaves it unchanged.
  var emitter: Emitter?
  /// The size of the depth pictures; `nil` for the camera's default.
  var depth: (width: Int, height: Int)?

  /// Modes of the projector, with librealsense2's numbers.
  enum Emitter: String, CaseIterable {
    case off, on, auto
    var number: Float { self == .off ? 0 : self == .on ? 1 : 2 }
  }

  static let prefix = "realsense:"

  init(_ address: String) throws(BackdropError) {
    let parameters = try AddressParameters(address, address.dropFirst(Self.prefix.count))
    serial = parameters.name
    do throws(BackdropError) {
      for (key, value) in parameters.all { try set(key, value) }
    } catch { throw error.at(address) }
  }

  private mutating func set(_ key: String, _ value: String) throws(BackdropError) {
    switch key {
    case "preset": preset = value
    case "emitter":
      guard let known = Emitter(rawValue: value) else {
        throw AddressParameters.bad(key, value, Emitter.allCases.map(\.rawValue).listed("or"))
      }
      emitter = known
    case "depth": depth = try AddressParameters.size(key, value, sides: 16...4096)
    default:
      throw BackdropError(
        .wrongArgument, "a RealSense camera has no parameter '\(key)'",
        hint: .known(["preset", "emitter", "depth"], insteadOf: key))
    }
  }
}
