import Backdrop
import BackdropCameras
import Foundation
import TestSupport
import Testing

/// A RealSense camera in software.
enum SoftwareRealSense {
  /// The library of `Tests/RealSense/camera.c`, linked to the module of `pyrealsense2`; `nil` if it cannot be built.
  static let library: String? = {
    do {
      let module = try OutsideTool.text(
        OutsideTool.python,
        [
          "-c",
          "import glob, os, pyrealsense2 as p; print(*glob.glob(os.path.dirname(p.__file__) + '/pyrealsense2.*.so'))",
        ])
      let path = module.trimmingCharacters(in: .whitespacesAndNewlines)
      let version = try #require(path.firstMatch(of: /cpython-3(\d+)/)?.1)
      let name = try #require(
        try OutsideTool.text("readelf", ["-dW", path]).firstMatch(of: /SONAME.*\[(.+)\]/)?.1)
      let folder = try #require(temporary)
      try FileManager.default.createSymbolicLink(atPath: folder.file(String(name)), withDestinationPath: path)
      let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../RealSense/camera.c").standardizedFileURL.path
      try OutsideTool.run(
        "cc",
        [
          "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", source, "-o",
          folder.file("camera.so"),
          "-Wl,--no-as-needed,--allow-shlib-undefined,-rpath,$ORIGIN", path, "-l:libpython3.\(version).so.1.0",
          "-lpthread",
        ])
      return folder.file("camera.so")
    } catch { return nil }
  }()
  private static let temporary: TemporaryFolder? = TemporaryFolder()
}

/// RealSense cameras through the real librealsense2, with a software device from a test library.
@Suite(.serialized, .enabled(if: SoftwareRealSense.library != nil, "needs pyrealsense2, its libpython and cc"))
struct RealSenseCommandTests {
  let work = Workplace()

  private static let camera = """
    depth 640 480 30
    depth 320 240 30
    depth 320 240 60
    color 1280 720 30 yuyv
    color 640 480 30 rgb8
    color 640 480 60 yuyv
    """

  private var environment: [String: String] {
    [
      "BACKDROP_REALSENSE": SoftwareRealSense.library ?? "",
      "BACKDROP_TEST_REALSENSE_LINES": work.path("camera"),
    ]
  }

  private func plugIn(_ lines: String = camera) throws { try work.write(lines.utf8, "camera") }

  private func run(_ line: String) throws -> Program.Outcome {
    try work.run(line, environment: environment)
  }

  /// Depth equals the camera's to the unit, in the view of the depth camera; colour equals the picture's.
  @Test(arguments: ["yuyv", "uyvy", "rgb8", "bgr8", "rgba8", "bgra8"], [0.001, 0.0001])
  func record(format: String, unit: Double) throws {
    try plugIn("depth 320 240 30\ncolor 640 480 30 \(format)\nunit \(unit)\n")
    let outcome = try run("record realsense: -o a.mkv --frames 5")
    #expect(outcome.status == 0, "\(outcome.errors)")
    var source = try RGBDInput.open(work.path("a.mkv"))
    var count = 0
    while let scene = try source.next() {
      count += 1
      let map = try #require(scene.depth)
      #expect(scene.image.width == 640 && scene.image.height == 480)
      // Depth is registered to the picture: the wall is at 2 m, the box at 1 m, one more unit for each frame.
      let (wall, box) = (map.metres[map.width / 2, 10], map.metres[map.width / 2, map.height / 2])
      #expect(abs(Double(wall) - 2) < 200 * unit && abs(Double(box) - 1) < 200 * unit, "\(wall) \(box)")
      let gray = scene.image.converted(to: .rgba8).row(100)
      for x in [40, 100, 200] { #expect(abs(Int(gray[4 * x]) - (x & 0xFF)) <= 3, "\(gray[4 * x]) at \(x)") }
    }
    #expect(count == 5)
  }

  /// Both cameras' intrinsics and the transform between them, from the calibration used by librealsense for alignment.
  @Test func registersByTheCalibration() throws {
    try plugIn("depth 320 240 30\ncolor 640 480 30 rgb8\n")
    let outcome = try run("record realsense: -o a.r3d --frames 2")
    #expect(outcome.status == 0, "\(outcome.errors)")
    var source = try RGBDInput.open(work.path("a.r3d"))
    let map = try #require(try source.next()?.depth)
    let camera = try #require(map.intrinsics).scaled(toWidth: 640, height: 480)
    #expect(abs(camera.fx - 512) < 1e-3 && abs(camera.cx - 320) < 1e-3 && abs(camera.cy - 240) < 1e-3)
    // According to its extrinsics the colour camera is 15 mm to the right of the depth camera: points move by f · t / z.
    let row = (0..<map.width).map { map.metres[$0, map.height / 2] }
    let left = try #require(row.firstIndex { abs($0 - 1) < 0.2 })
    let expected = (80.0 - 159.5 - 0.5) / 256 * 512 + 320 + 512 * 0.015 / 1
    #expect(abs(Double(left) * 640 / Double(map.width) - expected) <= 3, "\(left) \(expected)")
  }

  /// Colour that arrives some frames after its depth is still matched with it.
  @Test func lateColor() throws {
    try plugIn("depth 320 240 30\ncolor 320 240 30 yuyv\nlag 2\n")
    let outcome = try run("record realsense: -o a.mkv --frames 8 --json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let root = try outcome.object()
    #expect(root["frames"] as? Int == 8)
  }

  @Test func settings() throws {
    try plugIn()
    let good = try run(
      "record realsense:012345678901?preset=high-accuracy&emitter=off&depth=320x240 -o a.mkv --frames 2")
    #expect(good.status == 0, "\(good.errors)")
    for (address, says) in [
      ("realsense:?preset=loud", "no preset 'loud'"), ("realsense:?emitter=auto", "no mode 'auto'"),
      ("realsense:?emitter=blue", "'blue' is not a value for 'emitter'"),
      ("realsense:?colour=1", "no parameter 'colour'"),
      ("realsense:?depth=1x1", "not a value for 'depth'"), ("realsense:?depth=800x600", "no depth of 800×600 at 30/s"),
      ("realsense:99", "no RealSense camera '99' is connected"),
    ] {
      let bad = try run("record \(address) -o b.mkv")
      #expect(bad.status == 2 && bad.errors.contains(says) && bad.errors.contains("\nhint: "), "\(bad.errors)")
    }
    let none = try run("convert-recording realsense: b.mkv")
    #expect(none.status == 2 && none.errors.contains("backdrop record realsense: -o b.mkv"))
    #expect(!FileManager.default.fileExists(atPath: work.path("b.mkv")))
  }

  @Test func otherCameras() throws {
    let absent = try run("record realsense: -o a.mkv")
    #expect(
      absent.status == 2 && absent.errors.contains("no RealSense camera is connected: realsense:"), "\(absent.errors)")
    try plugIn("color 640 480 30 rgb8\n")
    let flat = try run("record realsense: -o a.mkv")
    #expect(flat.status == 2 && flat.errors.contains("no depth together with pictures"), "\(flat.errors)")
    try plugIn("depth 320 240 30\ninfrared 320 240 30\nusb 2.1\n")
    let infrared = try run("record realsense: -o a.mkv --frames 2")
    #expect(infrared.status == 0 && infrared.errors.contains("uses its infrared pictures"), "\(infrared.errors)")
    #expect(infrared.errors.contains("connected by USB 2.1"))
    try plugIn("depth 320 240 30\ncolor 320 240 30 rgb8\nframes 0\n")
    let silent = try run("record realsense: -o b.mkv")
    #expect(silent.status == 2 && silent.errors.contains("the camera sends no frames"), "\(silent.errors)")
  }

  @Test func listed() throws {
    try plugIn()
    let cameras = try JSONDecoder().decode([CameraDescription].self, from: try run("cameras --json").output)
    let found = try #require(cameras.first { $0.interface == "RealSense" })
    #expect(found.address == "realsense:012345678901" && found.name == "RealSense D400 of the tests")
    #expect(try run("doctor").text.contains(found.address))
  }

  /// A session shows the person, the standby frame while the cable is unplugged, and the person again.
  @Test func unpluggedAndBack() throws {
    try plugIn()
    let running = try work.start(
      "live --no-config realsense: --matte depth --no-face --cutoff 1.5 --size 320x180 --socket s -o null -q",
      environment: environment)
    func wait(_ showing: String) throws -> [String: Any] {
      var status: [String: Any]?
      try eventually("the session shows \(showing)") {
        status = try work.status()
        return status?["showing"] as? String == showing
      }
      return try #require(status)
    }
    #expect(try wait("scene")["hasDepth"] as? Bool == true)
    for _ in 0..<3 {
      try FileManager.default.removeItem(atPath: work.path("camera"))
      #expect(try wait("standby")["reason"] as? String != nil)
      try plugIn()
      _ = try wait("scene")
    }
    _ = try run("ctl --socket s quit")
    let outcome = running.wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  /// Without the library, the error says where to get it.
  @Test func missingLibrary() throws {
    let outcome = try work.run(
      "record realsense: -o a.mkv", environment: ["BACKDROP_REALSENSE": work.path("none.so")])
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("error: librealsense2 is not installed: realsense:\nhint: install librealsense2"))
  }
}
