import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropRecordings

/// Recordings of other programs, each generated from its project's description.
@Suite struct FolderKindTests {
  let made = RecordingFolder()

  func open(_ options: RecordingOptions = RecordingOptions()) throws -> any SceneSource {
    try RGBDInput.open(made.path, options: options)
  }

  func scenes(_ options: RecordingOptions = RecordingOptions()) throws -> [Scene] {
    var source = try open(options)
    var result: [Scene] = []
    while let scene = try source.next() { result.append(scene) }
    return result
  }

  func levels(_ name: String, _ values: [UInt8], width: Int = 8, height: Int = 6) throws {
    var plane = Plane<UInt8>(repeating: values[0], width: width, height: height)
    for (index, value) in values.enumerated() { plane[index, 1] = value }
    try made.write(name, bytes: Picture.encode(Image(gray: plane), as: .png))
  }

  /// The position of a camera's point after applying a pose.
  func moved(_ pose: Extrinsics, _ p: [Double]) -> [Double] {
    let r = pose.rotation
    var result = pose.translation
    for row in 0..<3 { for column in 0..<3 { result[row] += r[3 * row + column] * p[column] } }
    return result
  }

  func isNear(_ a: [Double]?, _ b: [Double], _ tolerance: Double = 1e-9) -> Bool {
    guard let a, a.count == b.count else { return false }
    return zip(a, b).allSatisfy { abs($0 - $1) < tolerance }
  }

  /// The distance in each frame, in tenths of a millimetre, after multiplying by the unit.
  func metres(_ scenes: [Scene], _ x: Int, _ y: Int) -> [Double] {
    scenes.map { Self.rounded($0.depth?.metres[x, y] ?? .nan) }
  }

  static func rounded(_ metres: Float) -> Double { (Double(metres) * 1e4).rounded() / 1e4 }

  func gray(_ scenes: [Scene]) -> [UInt8] { scenes.map { $0.image.packedBytes[9 * 4] } }

  func confidence(_ map: DepthMap?, _ count: Int) -> [UInt8] { (0..<count).map { map?.confidence?.values[$0, 1] ?? 7 } }

  /// A camera in the notation of other programs.
  func counted(_ k: Intrinsics) -> [Double] { [k.fx, k.fy, k.cx - 0.5, k.cy - 0.5] }

  static func bytes(_ numbers: [Float]) -> [UInt8] {
    numbers.flatMap { MadeArchive.word(Int($0.bitPattern), 4) }
  }

  // MARK: - TUM and Bonn

  /// The benchmark's page: time, position, quaternion x y z w. A quarter turn about z takes x to y.
  @Test func posesOfTUM() throws {
    for (index, time) in [10.0, 10.1, 10.2].enumerated() {
      try made.color("rgb/\(index).png", UInt8(index))
      try made.depth("depth/\(index).png", units: 5000)
      _ = time
    }
    try made.write("rgb.txt", "10.0 rgb/0.png\n10.1 rgb/1.png\n10.2 rgb/2.png\n")
    try made.write("depth.txt", "10.0 depth/0.png\n10.1 depth/1.png\n10.2 depth/2.png\n")
    let half = 0.5.squareRoot()
    try made.write(
      "groundtruth.txt",
      "# timestamp tx ty tz qx qy qz qw\n10.105 1 2 3 0 0 \(half) \(half)\n9.0 9 9 9 0 0 0 1\n10.001 4 5 6 0 0 0 1\n")
    let found = try scenes()
    let translations: [[Double]?] = [[4, 5, 6], [1, 2, 3], nil]
    #expect(found.map { $0.pose?.translation } == translations)
    #expect(isNear(found[1].pose.map { moved($0, [1, 0, 0]) }, [1, 3, 3]))
    try made.write("groundtruth.txt", "no poses\n")
    #expect(try open().warnings.map(\.message) == ["this file holds no poses that Backdrop understands"])
  }

  /// The cameras from the pages of both benchmarks, for folders with their published names, relative to the first pixel's centre.
  @Test(arguments: [
    ("rgbd_dataset_freiburg2_desk", [525.0, 525, 319.5, 239.5]),
    ("rgbd_bonn_balloon", [542.822841, 542.576870, 315.593520, 237.756098]), ("walk", nil),
  ])
  func publishedCameras(name: String, camera: [Double]?) throws {
    try made.color("\(name)/rgb/1.png", 9, width: 64, height: 48)
    try made.depth("\(name)/depth/1.png", units: 5000, width: 64, height: 48)
    try made.write("\(name)/rgb.txt", "1 rgb/1.png\n")
    try made.write("\(name)/depth.txt", "1 depth/1.png\n")
    var source = try RGBDInput.open(made.folder.file(name))
    let found = try source.next()?.depth
    let k = found?.intrinsics?.scaled(toWidth: 640, height: 480)
    #expect(k == nil ? camera == nil : isNear(k.map(counted), camera ?? []))
    #expect(found?.metres[1, 1] == 1)
    try made.write("\(name)/camera.txt", "50 60 31.5 23.5 64 48\n")
    #expect(try PictureFolderRecording(folder: made.folder.file(name)).intrinsics?.fx == 50)
  }

  // MARK: - 7-Scenes

  /// Its README: depth in millimetres, 65535 is invalid, poses from the camera to the world, focal length 585.
  @Test func sevenScenes() throws {
    for index in 0..<3 {
      let stem = "frame-00000\(index)"
      try made.color(stem + ".color.png", UInt8(10 + index))
      var units = Plane<Float>(repeating: Float(1000 * (index + 1)), width: 8, height: 6)
      (units[0, 0], units[1, 0]) = (65_534, 0)
      let map = try Image.units(units, hole: (3, 2))
      try made.write(stem + ".depth.png", bytes: PNG.encode(map))
    }
    try made.write("frame-000000.pose.txt", "0 -1 0 0.5\t\n 1 0 0 0.25\t\n0 0 1 -1\n0 0 0 1\n")
    try made.write(
      "frame-000001.pose.txt", "-inf -inf -inf -inf\n-inf -inf -inf -inf\n-inf -inf -inf -inf\n-inf -inf -inf -inf\n")
    try made.write("frame-000002.pose.txt", "1 2 3\n")
    var source = try open()
    let found = try [#require(try source.next()), #require(try source.next()), #require(try source.next())]
    #expect(metres(found, 4, 4) == [1, 2, 3])
    #expect(gray(found) == [10, 11, 12])
    // Pixels without a measurement.
    #expect(found[0].depth?.metres[3, 2].isNaN == true && found[0].depth?.metres[1, 0].isNaN == true)
    #expect(metres(found, 0, 0)[0] == 65.534)
    let k = found[0].depth?.intrinsics?.scaled(toWidth: 640, height: 480)
    #expect(isNear(k.map(counted), [585, 585, 320, 240]))
    #expect(isNear(found[0].pose.map { moved($0, [0, 1, 2]) }, [-0.5, 0.25, 1]))
    #expect(found[1].pose == nil && found[2].pose == nil)
    let times: [Double] = [0, 1.0 / 30, 2.0 / 30]
    #expect(isNear(found.map(\.time), times))
    #expect(source.warnings.count == 2 && source.warnings[0].message.contains("does not align depth"))
    #expect(source.warnings[1].message.contains("not a matrix with 4 rows"))
    #expect(source.info.unreadParts == ["camera poses"])
  }

  // MARK: - ScanNet

  /// Two halves of a wall in front of cameras with the same position and different lenses: each pixel of the picture gets its distance.
  @Test func scanNet() throws {
    try made.color("color/0.png", 50, width: 64, height: 48)
    try made.color("color/10.png", 60, width: 64, height: 48)
    try made.color("color/2.png", 70, width: 64, height: 48)
    let units = Plane<Float>(width: 32, height: 24) { x, _ in x >= 16 ? 3000 : 2000 }
    for name in ["0", "10"] { try made.write("depth/\(name).png", bytes: PNG.encode(Image.units(units))) }
    // The depth camera has a wider field of view.
    try made.write("intrinsic/intrinsic_depth.txt", "20 0 15.5 0\n0 20 11.5 0\n0 0 1 0\n0 0 0 1\n")
    try made.write("intrinsic/intrinsic_color.txt", "60 0 31.5 0\n0 60 23.5 0\n0 0 1 0\n0 0 0 1\n")
    for side in ["color", "depth"] {
      try made.write("intrinsic/extrinsic_\(side).txt", "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n")
    }
    try made.write("pose/0.txt", "1 0 0 0.1\n0 1 0 0.2\n0 0 1 0.3\n0 0 0 1\n")
    var source = try open()
    let first = try #require(try source.next()), second = try #require(try source.next())
    #expect(try source.next() == nil)
    // 0, 2, 10 in order: the second has no depth.
    #expect(source.skipped.first.map(\.number) == [2])
    #expect(isNear([first.time, second.time], [0, 2.0 / 30]))
    #expect(first.pose?.translation == [0.1, 0.2, 0.3])
    #expect(second.pose == nil)
    let map = try #require(first.depth)
    #expect(map.width == 64 && map.height == 48 && map.isRegistered)
    #expect(map.intrinsics == Intrinsics(fx: 60, fy: 60, cx: 32, cy: 24, width: 64, height: 48))
    // The edge between the halves is on the axis of both cameras.
    #expect(metres([first], 29, 20) == [2])
    #expect(metres([first], 34, 20) == [3])
    #expect(metres([first], 1, 1) == [2])
    #expect(metres([first], 62, 46) == [3])
    var options = RecordingOptions()
    options.view = .depth
    source = try open(options)
    let depthView = try #require(try source.next())
    #expect(depthView.depth?.metres.width == 32 && depthView.image.width == 32)
    // The reader reports and ignores cameras at different positions.
    try made.write("intrinsic/extrinsic_depth.txt", "1 0 0 0.5\n0 1 0 0\n0 0 1 0\n0 0 0 1\n")
    source = try open()
    #expect(source.warnings.first?.message.contains("different positions") == true)
    #expect(try source.next()?.depth?.metres.width == 32)
  }

  // MARK: - Polycam

  func polycam(_ stem: String, corrected: Bool = false) throws {
    let prefix = corrected ? "corrected_" : ""
    try made.write(
      "keyframes/\(prefix)cameras/\(stem).json",
      #"{"fx":\#(corrected ? 7 : 6),"fy":6.5,"cx":4.25,"cy":3.25,"width":8,"height":6,"blur_score":120.5,"#
        + #""t_00":0,"t_01":-1,"t_02":0,"t_03":1.5,"t_10":1,"t_11":0,"t_12":0,"t_13":-2,"t_20":0,"t_21":0,"t_22":1,"t_23":0.5}"#
    )
  }

  /// polyform's README and capture_folder.py: times in microseconds, rows t_ij of the transform in ARKit's axes, millimetres.
  @Test(arguments: [false, true]) func polycam(isCorrected: Bool) throws {
    for (index, stem) in ["91000500000", "91000900000"].enumerated() {
      try made.color("keyframes/images/\(stem).png", UInt8(20 + index))
      try made.depth("keyframes/depth/\(stem).png", units: 1250)
      try levels("keyframes/confidence/\(stem).png", [255, 0, 54, 127, 255])
      try polycam(stem)
      guard isCorrected else { continue }
      try made.color("keyframes/corrected_images/\(stem).png", UInt8(30 + index))
      try polycam(stem, corrected: true)
    }
    try made.write("mesh_info.json", "{}")
    let found = try scenes()
    #expect(gray(found) == (isCorrected ? [30, 31] : [20, 21]))
    #expect(isNear(found.map(\.time), [0, 0.4]))
    let map = try #require(found[0].depth)
    #expect(map.metres[4, 1] == 1.25 && map.metres[1, 1].isNaN && map.metres[2, 1] == 1.25)
    #expect(confidence(map, 5) == [255, 0, 128, 128, 255])
    let expected = Intrinsics(fx: isCorrected ? 7 : 6, fy: 6.5, cx: 4.25, cy: 3.25, width: 8, height: 6)
    #expect(map.intrinsics == expected)
    // A point 2 m in front of the camera and 1 m down is at (0, -1, -2) for ARKit: T · that.
    #expect(isNear(found[0].pose.map { moved($0, [0, 1, 2]) }, [2.5, -2, -1.5]))
    var options = RecordingOptions()
    options.minimumConfidence = 2
    #expect(try scenes(options)[0].depth?.metres[2, 1].isNaN == true)
    // The reader reports a damaged camera and confidence of a different size once, and keeps the frames.
    for stem in ["91000500000", "91000900000"] {
      try made.write("keyframes/\(isCorrected ? "corrected_" : "")cameras/\(stem).json", "{")
      try levels("keyframes/confidence/\(stem).png", [255], width: 4, height: 3)
    }
    var source = try open()
    var count = 0
    while let scene = try source.next() {
      count += 1
      #expect(scene.depth?.intrinsics == nil && scene.depth?.metres[1, 1] == 1.25 && scene.pose == nil)
    }
    #expect(count == 2 && source.warnings.count == 2)
  }

  // MARK: - Stray Scanner

  /// A video of grey pictures, one level for each frame.
  func video(_ name: String, _ levels: [UInt8], width: Int = 64, height: Int = 48) throws {
    try made.write("levels.gray", bytes: levels.flatMap { [UInt8](repeating: $0, count: width * height) })
    try MediaTool.make(
      "-f rawvideo -pix_fmt gray -s \(width)x\(height) -r 60 -i \(made.folder.file("levels.gray")) -pix_fmt yuv420p "
        + "-crf 1", made.folder.file(name))
    try FileManager.default.removeItem(atPath: made.folder.file("levels.gray"))
  }

  /// StrayVisualizer's read_data: camera_matrix.csv of the video, rows of odometry.csv, quaternion x y z w, millimetres.
  @Test func strayScanner() throws {
    try video("rgb.mp4", [40, 80, 120, 160])
    for index in [0, 2, 3] {
      try made.depth("depth/00000\(index).png", units: Float(1000 + index), width: 8, height: 6)
      try levels("confidence/00000\(index).png", [2, 0, 1])
    }
    try made.write("camera_matrix.csv", "60.5, 0.0, 32.25\n0.0, 61.0, 24.5\n0.0, 0.0, 1.0\n")
    let half = 0.5.squareRoot()
    try made.write(
      "odometry.csv",
      "timestamp, frame, x, y, z, qx, qy, qz, qw\n"
        + "5000.25, 000000, 0.1, 0.2, 0.3, 0, 0, 0, 1\n5000.30, 000001, 0, 0, 0, 0, 0, 0, 1\n"
        + "5000.50, 000002, 1, 2, 3, \(half), 0, 0, \(half)\n5000.75, 000003, 1, 2, 3, 0, 0, 0, 0\n")
    var source = try open()
    var found: [Scene] = []
    while let scene = try source.next() { found.append(scene) }
    #expect(source.width == 64 && source.height == 48 && source.frameCount == 3)
    #expect(gray(found).map { ($0 + 20) / 40 } == [1, 3, 4])
    #expect(metres(found, 2, 1) == [1, 1.002, 1.003])
    #expect(metres(found, 1, 1).allSatisfy { $0.isNaN })
    #expect(confidence(found[0].depth, 3) == [255, 0, 128])
    #expect(isNear(found.map(\.time), [0, 0.25, 0.5]))
    #expect(found[0].depth?.intrinsics == Intrinsics(fx: 60.5, fy: 61, cx: 32.25, cy: 24.5, width: 64, height: 48))
    // A quarter turn about x takes y to z.
    #expect(isNear(found[1].pose.map { moved($0, [0, 1, 0]) }, [1, 2, 4]))
    #expect(found[2].pose == nil)
    #expect(source.skipped.first.map(\.number) == [2])
    #expect(source.skipped.first.first?.error.message == "the depth picture is missing")
    // Rows with the camera of each frame.
    try made.write(
      "odometry.csv",
      "timestamp, frame, x, y, z, qx, qy, qz, qw, fx, fy, cx, cy\n5, 000000, 0, 0, 0, 0, 0, 0, 1, 70, 71, 30, 20\n")
    #expect(try scenes()[0].depth?.intrinsics?.fx == 70)
    // More depth than frames.
    for index in 4..<9 { try made.depth("depth/00000\(index).png", units: 1000, width: 8, height: 6) }
    source = try open()
    while try source.next() != nil {}
    #expect(source.skipped.first.last?.error.message == "the video ends before the last 5 depth pictures")
    #expect(refusal { try PictureFolderRecording(folder: made.path) }?.kind == .unsupported)
  }

  // MARK: - Record3D

  static let metadata =
    #"{"w":8,"h":6,"dw":4,"dh":3,"fps":60,"K":[6,0,0,0,6.5,0,4.25,3.25,1],"perFrameIntrinsicCoeffs":[[6,6,4,3],[7,7,4,3]],"#
    + #""poses":[[0,0,0,1,1,2,3],[0,0,0,1,4,5,6]],"frameTimestamps":[3.5,3.75]}"#

  /// EXR files written by FFmpeg, in each packing, with one channel; marek-simonik/record3d: metres as float32.
  @Test(arguments: ["none", "zip1", "zip16", "rle"], ["float", "half"])
  func record3DExport(packing: String, format: String) throws {
    let (width, height) = (36, 27)
    var random = SeededRandom(seed: 5)
    // Values that half precision represents exactly.
    let metres = (0..<width * height).map { _ in Float(Int.random(in: 0...64, using: &random)) / 16 }
    try made.write(
      "depth.f32",
      bytes: Self.bytes(metres))
    try made.color("rgb/0.png", 70, width: 8, height: 6)
    try made.write("depth/.keep", "")
    try made.write("metadata.json", Self.metadata)
    try MediaTool.make(
      "-f rawvideo -pix_fmt grayf32le -s \(width)x\(height) -i \(made.folder.file("depth.f32")) -compression \(packing) "
        + "-format \(format)", made.folder.file("depth/0.exr"))
    guard packing != "rle" else {
      let error = refusal { try open() }
      #expect(
        error?.kind == .unsupported && error?.message == "Backdrop does not read OpenEXR files with RLE compression")
      return
    }
    let scene = try #require(try scenes().first)
    let map = try #require(scene.depth)
    #expect(map.width == width && map.height == height)
    for (index, value) in metres.enumerated() {
      let found = map.metres[index % width, index / width]
      #expect(value == 0 ? found.isNaN : found == value, "\(index)")
    }
    #expect(map.intrinsics == Intrinsics(fx: 6, fy: 6, cx: 4, cy: 3, width: 8, height: 6))
    #expect(scene.pose?.translation == [1, 2, 3])
  }

  /// The content of an `.r3d`, unpacked.
  @Test func unpackedRecord3D() throws {
    try made.write("metadata", Self.metadata)
    for index in 0..<2 {
      try made.color("rgbd/\(index).jpg", 70)
      let metres = [Float](repeating: Float(index + 1), count: 12)
      try made.write(
        "rgbd/\(index).depth",
        bytes: Self.bytes(metres))
      try made.write("rgbd/\(index).conf", bytes: [2, 0, 1] + [UInt8](repeating: 2, count: 9))
    }
    let found = try scenes()
    #expect(metres(found, 2, 0) == [1, 2] && metres(found, 1, 0).allSatisfy { $0.isNaN })
    #expect(found[0].depth?.confidence?.values[2, 0] == 128)
    #expect(isNear(found.map(\.time), [0, 0.25]))
    #expect(found[1].depth?.intrinsics?.fx == 7)
  }
}

extension Image {
  /// A 16-bit grey picture of whole numbers, with 65535 at `hole`.
  static func units(_ units: Plane<Float>, hole: (x: Int, y: Int)? = nil) throws -> Image {
    var image = Image(.gray16, width: units.width, height: units.height)
    for y in 0..<units.height {
      var row = image.mutableRow(y)
      for x in 0..<units.width {
        var value = UInt16(units[x, y])
        if let hole, hole == (x, y) { value = 65_535 }
        (row[2 * x], row[2 * x + 1]) = (UInt8(value & 255), UInt8(value >> 8))
      }
    }
    return image
  }
}
