import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropRecordings

/// Recordings of Azure Kinect and Orbbec Femto cameras, generated like matroska_write.cpp of the Azure-Kinect-Sensor-SDK.
@Suite struct KinectRecordingTests {
  let folder = TemporaryFolder()

  /// A Matroska file under construction.
  struct Made {
    static func length(_ count: Int) -> [UInt8] { bytes(1 << 56 | count) }
    static func bytes(_ value: Int) -> [UInt8] {
      (0..<8).map { (index: Int) in UInt8(value >> (56 - 8 * index) & 255) }
    }
    static func element(_ id: UInt32, _ data: [UInt8]) -> [UInt8] {
      Array(bytes(Int(id)).drop { $0 == 0 }) + length(data.count) + data
    }
    static func number(_ id: UInt32, _ value: Int) -> [UInt8] {
      element(id, bytes(value))
    }
    static func text(_ id: UInt32, _ text: String) -> [UInt8] { element(id, Array(text.utf8)) }

    static func track(_ number: Int, _ name: String, _ width: Int, _ height: Int, _ code: String, bits: Int) -> [UInt8]
    {
      let word = { (value: Int, count: Int) in MadeBag.number(value, count) }
      let head = word(40, 4) + word(width, 4) + word(height, 4) + word(1, 2) + word(bits, 2) + Array(code.utf8)
      let bitmap = head + word(width * height * bits / 8, 4) + [UInt8](repeating: 0, count: 16)
      let size = Self.number(0xB0, width) + Self.number(0xBA, height)
      let kind =
        Self.number(0xD7, number) + Self.number(0x73C5, 111 * number) + Self.number(0x83, 1) + text(0x536E, name)
      return element(
        0xAE,
        kind + text(0x86, "V_MS/VFW/FOURCC") + element(0x63A2, bitmap) + Self.number(0x23E383, 33_333_333)
          + element(0xE0, size))
    }

    static func tag(_ track: Int, _ name: String, _ value: String) -> [UInt8] {
      element(
        0x7373,
        element(0x63C0, number(0x63C5, 111 * track)) + element(0x67C8, text(0x45A3, name) + text(0x4487, value)))
    }

    static func block(_ track: Int, _ data: [UInt8]) -> [UInt8] {
      element(0xA3, [UInt8(0x80 | track), 0, 0, 0x80] + data)
    }
  }

  static let calibration = #"""
    {"CalibrationInformation":{"Cameras":[
    {"Intrinsics":{"ModelParameterCount":14,"ModelParameters":[0.50512289,0.51006704,0.49345657,0.49354163,2.7453551,
      1.7393787,0.085993089,3.0779519,2.6123161,0.45124421,0,0,-8.8e-05,-4.2e-05],
      "ModelType":"CALIBRATION_LensDistortionModelBrownConrady"},
     "Location":"CALIBRATION_CameraLocationD0","Purpose":"CALIBRATION_CameraPurposeDepth","MetricRadius":1.74,
     "Rt":{"Rotation":[1,0,0,0,1,0,0,0,1],"Translation":[0,0,0]},"SensorHeight":1024,"SensorWidth":1024},
    {"Intrinsics":{"ModelParameterCount":14,"ModelParameters":[0.49872,0.50661,0.47421,0.63219,0.47,-2.62,1.5301,0.353,
      -2.44,1.4549,0,0,0.00041,-0.00036],"ModelType":"CALIBRATION_LensDistortionModelBrownConrady"},
     "Location":"CALIBRATION_CameraLocationPV0","Purpose":"CALIBRATION_CameraPurposePhotoVideo","MetricRadius":1.7,
     "Rt":{"Rotation":[0.99999,0.0044,-0.0001,-0.00439,0.9949,-0.1008,-0.00034,0.1008,0.9949],
      "Translation":[-0.0320,-0.0019,0.0039]},"SensorHeight":3072,"SensorWidth":4096}],"InertialSensors":[]}}
    """#

  /// Writes a recording of a wall; the distance in millimetres differs from frame to frame, and infrared is much brighter than depth.
  func record(_ size: (Int, Int), color: (Int, Int) = (1280, 720), calibration: String? = Self.calibration) throws {
    let jpeg = try JPEG.encode(Image(gray: Plane(repeating: 90, width: color.0, height: color.1)), quality: 90)
    let grey = { (value: Int) in
      [UInt8]((0..<2 * size.0 * size.1).map { UInt8($0 % 2 == 0 ? value >> 8 : value & 255) })
    }
    let tracks =
      Made.track(1, "COLOR", color.0, color.1, "MJPG", bits: 24) + Made.track(2, "IR", size.0, size.1, "b16g", bits: 16)
      + Made.track(3, "DEPTH", size.0, size.1, "b16g", bits: 16)
    var segment = Made.element(0x1549_A966, Made.number(0x2AD7B1, 1000) + Made.text(0x5741, "k4arecord-1.4.1"))
    segment += Made.element(0x1654_AE6B, tracks)
    if let calibration {
      let file = Made.text(0x466E, "calibration.json") + Made.text(0x4660, "application/octet-stream")
      segment += Made.element(
        0x1941_A469,
        Made.element(0x61A7, file + Made.number(0x46AE, 5) + Made.element(0x465C, Array(calibration.utf8) + [0])))
    }
    segment += Made.element(0x1254_C367, Made.tag(2, "K4A_IR_TRACK", "222") + Made.tag(3, "K4A_DEPTH_TRACK", "333"))
    for index in 0..<3 {
      segment += Made.element(
        0x1F43_B675,
        Made.number(0xE7, 33_333 * index) + Made.block(1, jpeg) + Made.block(2, grey(60_000))
          + Made.block(3, grey(2000 + 250 * index)))
    }
    let head = Made.text(0x4282, "matroska") + Made.number(0x4287, 2) + Made.number(0x4285, 2)
    let file = Made.element(0x1A45_DFA3, head) + Made.element(0x1853_8067, segment)
    try folder.write(file, "k.mkv")
  }

  /// The SDK's own arithmetic (mode_specific_calibration.c), relative to the first pixel's centre.
  @Test(arguments: [
    (320, 288, 512.0, 96.0, 90.0), (640, 576, 1024, 192, 180), (512, 512, 512, 0, 0), (1024, 1024, 1024, 0, 0),
  ])
  func modes(width: Int, height: Int, full: Double, x: Double, y: Double) throws {
    let pair = try KinectCalibration.cameras(Array(Self.calibration.utf8), color: (1280, 720), depth: (width, height))
    let k = pair.depth.intrinsics
    #expect(abs(k.cx - 0.5 - (0.50512289 * full - x - 0.5)) < 1e-9)
    #expect(abs(k.cy - 0.5 - (0.51006704 * full - y - 0.5)) < 1e-9)
    #expect(abs(k.fx - 0.49345657 * full) < 1e-9 && abs(k.fy - 0.49354163 * full) < 1e-9)
    #expect(k.width == width && k.height == height)
    for (size, crop) in [((1280, 720), 120.0), ((1920, 1080), 180), ((2048, 1536), 0), ((3840, 2160), 360)] {
      let c = try KinectCalibration.cameras(Array(Self.calibration.utf8), color: size, depth: (width, height)).color
      let (w, h) = (Double(size.0), Double(size.0) * 3 / 4)
      #expect(abs(c.intrinsics.cx - 0.49872 * w) < 1e-9 && abs(c.intrinsics.cy - (0.50661 * h - crop)) < 1e-9)
      #expect(abs(c.intrinsics.fx - 0.47421 * w) < 1e-9 && abs(c.intrinsics.fy - 0.63219 * h) < 1e-9)
    }
  }

  /// The SDK's `transformation_project_internal`, step by step, and its inverse.
  @Test func lens() throws {
    let camera = try KinectCalibration.cameras(
      Array(Self.calibration.utf8), color: (1280, 720), depth: (640, 576)
    ).depth
    var worst = 0.0
    for (x, y) in [(0.0, 0.0), (0.1, -0.2), (0.4, 0.3), (-0.5, 0.5), (0.6, -0.55)] {
      let (k1, k2, k3, k4, k5, k6) = (2.7453551, 1.7393787, 0.085993089, 3.0779519, 2.6123161, 0.45124421)
      let (p2, p1) = (-8.8e-05, -4.2e-05)
      let (xp2, yp2, xyp) = (x * x, y * y, x * y)
      let rs = xp2 + yp2
      let (rss, rsc) = (rs * rs, rs * rs * rs)
      let a = 1 + k1 * rs + k2 * rss + k3 * rsc
      let b = 1 + k4 * rs + k5 * rss + k6 * rsc
      let d = a / b
      let u = x * d + (rs + 2 * xp2) * p2 + 2 * xyp * p1
      let v = y * d + (rs + 2 * yp2) * p1 + 2 * xyp * p2
      let pixel = camera.pixel(x: x, y: y)
      let k = camera.intrinsics
      #expect(abs(pixel.x - (u * k.fx + k.cx)) < 1e-9 && abs(pixel.y - (v * k.fy + k.cy)) < 1e-9)
      let back = camera.direction(x: pixel.x, y: pixel.y)
      worst = max(worst, abs(back.x - x), abs(back.y - y))
    }
    #expect(worst < 1e-7)
  }

  @Test(arguments: [(640, 576), (512, 512)]) func recording(width: Int, height: Int) throws {
    try record((width, height))
    let source = try RGBDInput.open(folder.file("k.mkv"))
    #expect(source.warnings.isEmpty)
    var (found, input): ([Scene], any SceneSource) = ([], source)
    while let scene = try input.next() { found.append(scene) }
    #expect(found.count == 3 && input.skipped.isEmpty)
    for (index, scene) in found.enumerated() {
      let map = try #require(scene.depth)
      // In the colour camera's view; its axis is at an angle of 6° to the wall, so distances differ.
      #expect(map.width == 1280 && map.height == 720)
      #expect(abs(map.metres[640, 360] - Float(2000 + 250 * index) / 1000) < 0.3)
      #expect(map.metres[640, 360] < 10)
      #expect(abs(scene.time - 0.033333 * Double(index)) < 1e-5)
    }
    var options = RecordingOptions()
    options.view = .depth
    var depthView = try RGBDInput.open(folder.file("k.mkv"), options: options)
    let first = try #require(try depthView.next())
    #expect(first.depth?.width == width)
    #expect(FolderKindTests.rounded(first.depth?.metres[width / 2, height / 2] ?? 0) == 2)
  }

  @Test func withoutCalibration() throws {
    try record((640, 576), calibration: nil)
    var options = RecordingOptions()
    options.allowsAnyAspect = true
    var source = try RGBDInput.open(folder.file("k.mkv"), options: options)
    #expect(FolderKindTests.rounded(try source.next()?.depth?.metres[3, 3] ?? 0) == 2)
    for bad in [
      "", "{}", #"{"CalibrationInformation":{"Cameras":[]}}"#,
      Self.calibration.replacingOccurrences(of: "Brown", with: "X"),
    ] {
      try record((640, 576), calibration: bad)
      source = try RGBDInput.open(folder.file("k.mkv"), options: options)
      #expect(source.warnings.count == 1, "\(bad.prefix(30))")
      #expect(FolderKindTests.rounded(try source.next()?.depth?.metres[3, 3] ?? 0) == 2)
    }
    #expect(throws: BackdropError.self) {
      try KinectCalibration.cameras(Array(Self.calibration.utf8), color: (1280, 720), depth: (640, 480))
    }
  }
}
