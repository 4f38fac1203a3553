import Backdrop
import BackdropCameras
import Foundation
import TestSupport
import Testing

/// The command with a simulated phone.
@Suite(.serialized) struct IPhoneCommandTests {
  let work = Workplace()
  let phone = StandInPhone()

  /// A dozen frames of the simulated camera, with intrinsics in the phones' form.
  private static let messages = Result { () throws -> [[UInt8]] in
    let camera = try SimulatedCamera(address: "sim:talking?size=320x180&depth=160x90&seconds=1")
    return try (0..<12).map { StandInPhone.message(try StandInPhone.body(of: camera.frame($0).frame)) }
  }

  private func run(_ line: String) throws -> Program.Outcome {
    let messages = try Self.messages.get()
    phone.state.withLock { $0.messages = messages }
    return try work.run(line, environment: ["USBMUXD_SOCKET_ADDRESS": phone.address])
  }

  /// The recording contains all frames in order, with exact depth.
  @Test(arguments: ["a.r3d", "a.mkv", "a"]) func record(output: String) throws {
    let outcome = try run("record iphone: -o \(output) --frames 6")
    #expect(outcome.status == 0, "\(outcome.errors)")
    var source = try RGBDInput.open(work.path(output))
    let camera = try SimulatedCamera(address: "sim:talking?size=320x180&depth=160x90&seconds=1")
    var (count, before) = (0, -1.0)
    while let scene = try source.next() {
      let (map, sent) = (try #require(scene.depth), try #require(camera.frame(count).frame.depth))
      #expect(scene.image.width == 320 && scene.image.height == 180 && map.width == 160 && map.height == 90)
      #expect(map.intrinsics != nil && scene.time > before)
      var different = 0
      for (y, x) in product(0..<90, 0..<160) {
        let (got, wanted) = (map.metres[x, y], sent.metres[x, y])
        // Folders store millimetres, Matroska files half millimetres, Record3D every bit.
        let isSame = output == "a.r3d" ? got == wanted : abs(got - wanted) <= 0.000_51
        if !(isSame || got.isNaN && wanted.isNaN) { different += 1 }
      }
      #expect(different == 0)
      (count, before) = (count + 1, scene.time)
    }
    #expect(count == 6)
  }

  /// A live session with a phone records its frames and depth.
  @Test(arguments: ["iphone:", "record3d:00008030001a2b3c4d5e6f70"]) func live(camera: String) throws {
    let outcome = try run(
      "live --no-config \(camera) --matte depth --size 320x180 -o out.mkv --save-recording raw.r3d --seconds 4 --socket s --json"
    )
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("TrueDepth"))
    var source = try RGBDInput.open(work.path("raw.r3d"))
    #expect(try source.next()?.depth != nil)
    #expect(try MediaTool.video(work.path("out.mkv"))["width"] == "320")
  }

  @Test func listed() throws {
    let list = try run("cameras --json")
    let cameras = try JSONDecoder().decode([CameraDescription].self, from: list.output)
    let found = try #require(cameras.first { $0.interface == "Record3D" })
    #expect(found.address == "iphone:\(StandInPhone.Phone().serial)" && found.name == "iPhone" && found.fault == nil)
    #expect(try run("cameras").text.contains("\(found.address)  iPhone (Record3D)"))
    // The command does not print usbmuxd's own text, which could be anything.
    phone.state.withLock { $0.answer = StandInPhone.packet(Array("\u{1B}[2J".utf8)) }
    let text = try run("cameras").text
    #expect(text.contains("not usable: Backdrop does not understand usbmuxd's answer (install a newer version"))
  }

  @Test func refusals() throws {
    phone.state.withLock { $0.phones[0].isStreaming = false }
    let closed = try run("record iphone: -o a.mkv")
    #expect(
      closed.status == 2
        && closed.errors == """
          error: Record3D on the iPhone is not streaming: iphone:
          hint: open Record3D there, switch on USB streaming in its settings, and press its red button

          """
    )
    let convert = try run("convert-recording iphone: a.mkv")
    #expect(convert.status == 2 && convert.errors.contains("backdrop record iphone: -o a.mkv"))
    let foreign = try work.run("record iphone: -o a.mkv", environment: ["USBMUXD_SOCKET_ADDRESS": "example.org:80"])
    #expect(foreign.status == 2 && foreign.errors.contains("USBMUXD_SOCKET_ADDRESS is not an address on this computer"))
    #expect(!FileManager.default.fileExists(atPath: work.path("a.mkv")))
  }
}
