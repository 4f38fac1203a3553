import BackdropImaging
import Testing

@testable import BackdropStudio

/// Accepting and refusing device messages from pages.
@Suite struct DeviceMessageTests {
  private func message(_ kind: String, age: Float = 0.02, rate: UInt32 = 48_000, _ body: [UInt8]) -> [UInt8] {
    func bytes(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) } }
    return Array(kind.utf8) + bytes(age.bitPattern) + bytes(rate) + [0, 0, 0, 0] + body
  }

  @Test func picturesAndSound() throws {
    let age = Double(Float(0.02))
    #expect(try DeviceMessage(message("BDPC", rate: 0, [0xff, 0xd8])) == .picture([0xff, 0xd8], age: age))
    #expect(
      try DeviceMessage(message("BDSN", [0, 0x40, 0, 0x80])) == .sound([0.5, -1], rate: 48_000, age: age))
  }

  @Test func whatIsNeither() {
    let bad = [
      [], [0xff, 0xd8], message("BDPC", []), message("BDXX", [1, 2]), message("BDSN", age: -1, [0, 0]),
      message("BDSN", age: .nan, [0, 0]), message("BDSN", age: 6, [0, 0]), message("BDSN", rate: 1, [0, 0]),
      message("BDSN", rate: .max, [0, 0]), message("BDSN", [0]),
      message("BDSN", [UInt8](repeating: 0, count: 2 * DeviceMessage.maximumSamples + 2)),
    ]
    for bytes in bad { #expect(throws: BackdropError.self) { try DeviceMessage(bytes) } }
  }
}
