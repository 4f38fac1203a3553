import Backdrop
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropRecordings

/// Choosing a RealSense camera's modes, and its address; with the library, see `RealSenseCommandTests`.
@Suite struct RealSenseModeTests {
  /// A line such as `color 1280 720 30 yuyv`; an asterisk marks a default.
  private static func modes(_ text: String) throws -> [RealSenseMode] {
    try text.split(separator: "\n").map { line in
      let words = line.split(separator: " ")
      let stream: RealSenseMode.Stream = words[0] == "depth" ? .depth : words[0] == "color" ? .color : .infrared
      return RealSenseMode(
        stream: stream, format: String(words[4]), width: try #require(Int(words[1])),
        height: try #require(Int(words[2])),
        rate: try #require(Int(words[3])), isDefault: words.count > 5)
    }
  }

  /// Some modes of a D435.
  private static let camera = """
    depth 1280 720 30 z16
    depth 848 480 30 z16 *
    depth 640 480 60 z16
    depth 640 480 15 z16
    color 1920 1080 30 rgb8
    color 1920 1080 30 yuyv
    color 1280 720 30 raw16
    color 1280 720 30 rgb8
    color 1280 720 30 yuyv
    color 640 480 60 bgr8
    color 640 480 15 yuyv
    infrared 848 480 30 y8
    """

  @Test(arguments: [
    (1280, 720, 30.0, "1280×720 yuyv, 848×480 at 30"), (640, 360, 30, "1280×720 yuyv, 848×480 at 30"),
    (1281, 720, 30, "1920×1080 yuyv, 848×480 at 30"), (3840, 2160, 25, "1920×1080 yuyv, 848×480 at 30"),
    (640, 480, 60, "640×480 bgr8, 640×480 at 60"), (1280, 720, 100, "640×480 bgr8, 640×480 at 60"),
    (1280, 720, 10, "640×480 yuyv, 640×480 at 15"),
  ]) func nearest(width: Int, height: Int, rate: Double, expected: String) throws {
    let request = RealSenseMode.Request(width: width, height: height, rate: rate)
    let (picture, depth) = try RealSenseMode.choose(of: Self.modes(Self.camera), for: request)
    #expect(
      "\(picture.width)×\(picture.height) \(picture.format), \(depth.width)×\(depth.height) at \(depth.rate)"
        == expected)
    #expect(picture.rate == depth.rate && picture.stream == .color)
  }

  @Test func depthSizes() throws {
    let modes = try Self.modes(Self.camera)
    let request = RealSenseMode.Request(depth: (1280, 720))
    #expect(try RealSenseMode.choose(of: modes, for: request).depth.width == 1280)
    #expect(
      refusal { try RealSenseMode.choose(of: modes, for: RealSenseMode.Request(depth: (320, 240))) }?.hint?.text
        == "give one of: 848x480, 1280x720")
  }

  /// Without colour modes, the choice is infrared of the depth's size; without either, an error.
  @Test func infrared() throws {
    let modes = try Self.modes("depth 1280 720 30 z16\ndepth 848 480 30 z16\ninfrared 848 480 30 y8")
    let (picture, depth) = try RealSenseMode.choose(of: modes, for: RealSenseMode.Request())
    #expect(picture.stream == .infrared && (depth.width, depth.height) == (848, 480))
    for text in ["depth 640 480 30 z16", "color 640 480 30 yuyv", "depth 640 480 30 z16\ncolor 640 480 60 yuyv", ""] {
      let none = try Self.modes(text)
      #expect(throws: BackdropError.self) { try RealSenseMode.choose(of: none, for: RealSenseMode.Request()) }
    }
  }

  @Test func addresses() throws {
    let plain = try RealSenseAddress("realsense:")
    #expect(plain.serial.isEmpty && plain.preset == nil && plain.emitter == nil && plain.depth == nil)
    let full = try RealSenseAddress("realsense:012?preset=hand&emitter=on&depth=848x480")
    #expect(full.serial == "012" && full.preset == "hand" && full.emitter == .on && full.depth?.width == 848)
    for bad in ["realsense:?preset=a&preset=b", "realsense:?depth=9", "realsense:?x", "realsense:?emitter="] {
      let error = refusal { try RealSenseAddress(bad) }
      #expect(error?.kind == .wrongArgument && error?.path == bad)
    }
  }

  @Test func pluggedIn() throws {
    let folder = TemporaryFolder()
    func plug(_ product: String) throws {
      try FileManager.default.createDirectory(atPath: folder.file("1-1"), withIntermediateDirectories: true)
      try folder.write("8086\n".utf8, "1-1/idVendor")
      try folder.write((product + "\n").utf8, "1-1/idProduct")
    }
    try plug("0b07")
    #expect(RealSenses.isPluggedIn(folder.path))
    // A tracking camera without depth.
    try plug("0b37")
    #expect(!RealSenses.isPluggedIn(folder.path) && !RealSenses.isPluggedIn("/nowhere"))
  }
}
