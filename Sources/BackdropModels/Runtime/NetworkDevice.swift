import BackdropImaging

/// A device that runs networks.
public struct NetworkDevice: Sendable, Hashable {
  /// The processor.
  public static let cpu = NetworkDevice(name: "CPU")
  /// The first graphics device that OpenVINO can use.
  public static let gpu = NetworkDevice(name: "GPU")
  /// The first neural processor that OpenVINO can use.
  public static let npu = NetworkDevice(name: "NPU")

  /// OpenVINO's name for it, such as `GPU.1` or `HETERO:GPU,CPU`.
  public let name: String

  private init(name: String) { self.name = name }
}

extension NetworkDevice: ParameterText {
  package static var form: String { "cpu, gpu, npu, or OpenVINO's name of a device" }

  /// `cpu`, or OpenVINO's name of another device.
  public var description: String { Self.short.first { $0.value == self }?.key ?? name }

  private static let short = ["cpu": cpu, "gpu": gpu, "npu": npu]

  /// Parses a device's short name, or OpenVINO's name.
  ///
  /// - Throws: `wrongArgument` for an invalid name.
  public init(parsing text: String) throws(BackdropError) {
    if let known = Self.short[text] {
      self = known
      return
    }
    let isName = text.utf8.allSatisfy {
      UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
        || "._:,()-".utf8.contains($0)
    }
    guard isName, text.utf8.first.map({ UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }) ?? false, text.utf8.count <= 64
    else {
      throw BackdropError(
        .wrongArgument, "'\(text)' is not a device for networks",
        hint: "choose auto, cpu, gpu or npu, or an OpenVINO name such as HETERO:GPU,CPU")
    }
    self.init(name: text)
  }
}
