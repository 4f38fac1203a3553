import BackdropCameras
import Foundation
import Testing

/// `backdrop cameras`; the cameras differ between machines.
@Suite struct CamerasCommandTests {
  @Test func listsAtLeastTheSimulatedCamera() throws {
    let result = try BuiltCommand.run(["cameras", "--json"])
    #expect(result.status == 0)
    let cameras = try JSONDecoder().decode([CameraDescription].self, from: result.output)
    #expect(cameras.last?.address == "sim:" && cameras.last?.interface == "simulated")
    let text = try BuiltCommand.run(["cameras"])
    #expect(text.status == 0)
    for camera in cameras { #expect(text.text.contains(camera.address)) }
    #expect(text.text.contains("No camera is connected.") == (cameras.count == 1))
  }

  @Test func doctorSaysWhatToDo() throws {
    struct Finding: Decodable {
      var id: String
      var state: String
      var text: String
      var hint: String?
      var isEssential: Bool
    }
    let result = try BuiltCommand.run(["doctor", "--json"])
    let findings = try JSONDecoder().decode([Finding].self, from: result.output)
    let wanted = [
      "camera", "processor", "runtime", "models", "speed", "pipewire", "portal", "loopback", "output", "encoders",
    ]
    for id in wanted { #expect(findings.contains { $0.id == id }, "\(id)") }
    for finding in findings where finding.state == "bad" { #expect(finding.hint != nil, "\(finding.id)") }
    let isFatal = findings.contains { $0.isEssential && $0.state == "bad" }
    #expect(result.status == (isFatal ? 1 : 0))
  }
}
