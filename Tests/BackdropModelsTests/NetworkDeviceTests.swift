import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

@Suite struct NetworkDeviceTests {
  @Test func readsShortNamesAndThoseOfOpenVINO() throws {
    #expect(try NetworkDevice(parsing: "cpu") == .cpu)
    #expect(try NetworkDevice(parsing: "CPU") == .cpu)
    #expect(try NetworkDevice(parsing: "npu") == .npu)
    #expect(try NetworkDevice(parsing: "HETERO:GPU.1,CPU").name == "HETERO:GPU.1,CPU")
    #expect(NetworkDevice.gpu.description == "gpu")
    for wrong in ["", "Gpu", "gpu ", "GPU;CPU", "GPU\n", ":GPU", String(repeating: "A", count: 65)] {
      let error = #expect(throws: BackdropError.self) { try NetworkDevice(parsing: wrong) }
      #expect(error?.kind == .wrongArgument)
    }
  }

  /// The network reports a missing device once, and the processor does the same work.
  @Test(.enabled(if: NetworkRuntime.isInstalled, "needs the network runtime"))
  func runsOnTheProcessorWhereTheDeviceIsMissing() throws {
    let picture = Image(.bgra8, width: 256, height: 144)
    var (wanted, found) = (Matte(constant: 0, width: 1, height: 1), Matte(constant: 0, width: 1, height: 1))
    let plain = try PersonNetwork(.selfieLandscape, device: .cpu)
    try plain.update(&wanted, from: picture)
    #expect(plain.warnings.isEmpty)
    let elsewhere = try PersonNetwork(.selfieLandscape, device: try NetworkDevice(parsing: "XPU.7"))
    try elsewhere.update(&found, from: picture)
    #expect(elsewhere.warnings.map(\.kind) == [.unsupported])
    #expect(elsewhere.warnings.first?.message.hasPrefix("XPU.7 cannot run the person network: ") == true)
    #expect(found.q15 == wanted.q15)
  }

  /// The error for a file that is not a network does not blame the device.
  @Test(.enabled(if: NetworkRuntime.isInstalled, "needs the network runtime"))
  func aBadFileIsTheFilesFault() throws {
    let folder = TemporaryFolder()
    try Data("no network".utf8).write(to: URL(fileURLWithPath: folder.file("bad.tflite")))
    var description = NetworkDescription.selfieLandscape
    description.file = folder.file("bad.tflite")
    let error = #expect(throws: BackdropError.self) { try PersonNetwork(description, device: .gpu) }
    #expect(error?.kind == .badData)
  }
}
