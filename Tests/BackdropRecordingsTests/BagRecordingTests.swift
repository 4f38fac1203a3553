import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropRecordings

/// `.bag` files of RealSense cameras, generated from the format's description and by librealsense's own recorder.
@Suite struct BagRecordingTests {
  let folder = TemporaryFolder()

  func open(_ bytes: [UInt8], _ options: RecordingOptions = RecordingOptions()) throws -> any SceneSource {
    try folder.write(bytes, "a.bag")
    return try RGBDInput.open(folder.file("a.bag"), options: options)
  }

  func scenes(_ source: any SceneSource) throws -> [Scene] {
    var (source, result): (any SceneSource, [Scene]) = (source, [])
    while let scene = try source.next() { result.append(scene) }
    return result
  }

  func levels(_ scenes: [Scene]) -> [UInt8] { scenes.map { $0.image.packedBytes[0] } }
  func metres(_ scenes: [Scene], _ x: Int, _ y: Int) -> [Double] {
    scenes.map { FolderKindTests.rounded($0.depth?.metres[x, y] ?? .nan) }
  }

  /// Compresses bytes with the system's bzip2, or like ``MadeBag/lz4(_:)``.
  func packed(_ bytes: [UInt8], _ packing: MadeBag.Packing) throws -> [UInt8] {
    switch packing {
    case .none: return bytes
    case .bz2: return [UInt8](try OutsideTool.run("bzip2", ["-c"], input: Data(bytes)))
    case .lz4: return MadeBag.lz4(bytes)
    }
  }

  @Test(arguments: MadeBag.Packing.allCases, [true, false])
  func everyPacking(packing: MadeBag.Packing, isFinished: Bool) throws {
    let bytes = try MadeBag.small(isFinished: isFinished, packing: packing) { try packed($0, packing) }
    let source = try open(bytes)
    #expect(source.width == 4 && source.height == 3 && source.frameCount == 3 && source.framesPerSecond == 30)
    let found = try scenes(source)
    #expect(levels(found) == [10, 20, 30])
    #expect(metres(found, 0, 0) == [1, 2, 3])
    #expect(metres(found, 3, 2) == [1.011, 2.011, 3.011])
    #expect(metres(found, 1, 1).allSatisfy { $0.isNaN })
    #expect(zip(found, [0, 0.03125, 0.0625]).allSatisfy { abs($0.time - $1) < 1e-6 })
    #expect(found[0].depth?.intrinsics == Intrinsics(fx: 5, fy: 6, cx: 2, cy: 1.5, width: 4, height: 3))
    #expect(source.info.storedUnitsPerMetre.map { abs($0 - 1000) < 0.001 } == true && source.skipped.isEmpty)
    let complaints = source.warnings.map(\.message)
    #expect(complaints == (isFinished ? [] : ["the recorder did not finish the file; Backdrop reads it up to there"]))
  }

  /// A truncated file returns the frames before the cut, or an error.
  @Test func cutOff() throws {
    for isFinished in [true, false] {
      let bytes = try MadeBag.small(isFinished: isFinished)
      var most = 0
      for count in stride(from: 0, to: bytes.count, by: 37) {
        do {
          let source = try open(Array(bytes[..<count]))
          let found = try scenes(source)
          #expect(levels(found) == Array([10, 20, 30].prefix(found.count)) && !found.isEmpty, "\(count)")
          #expect(found.count == 3 || !source.warnings.isEmpty || !source.skipped.isEmpty, "\(count)")
          most = max(most, found.count)
        } catch let error as BackdropError {
          #expect([.badData, .unsupported].contains(error.kind), "\(count): \(error)")
        }
      }
      #expect(most >= 2)
    }
  }

  /// Damaged files are bad data, unsupported or over a limit; what is read has the sizes of the recording and is no more than it holds.
  @Test(arguments: 0..<400) func damaged(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let packing = MadeBag.Packing.allCases[Int(seed % 2)]
    var bytes = try MadeBag.small(isFinished: seed % 3 > 0, packing: packing) { try packed($0, packing) }
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = [0, 1, 127, 255][Int.random(in: 0..<4, using: &random)]
    }
    do {
      let source = try open(bytes)
      let found = try scenes(source)
      let expected = (source.width, source.height)
      #expect(found.count <= 3 && found.allSatisfy { ($0.image.width, $0.image.height) == expected }, "seed \(seed)")
      #expect(!found.isEmpty || !source.warnings.isEmpty || !source.skipped.isEmpty, "seed \(seed): nothing is said")
      #expect(zip(found, found.dropFirst()).allSatisfy { $0.time <= $1.time }, "seed \(seed)")
    } catch let error as BackdropError {
      #expect([.badData, .unsupported, .overLimit].contains(error.kind), "seed \(seed): \(error)")
      #expect(error.path?.hasSuffix("a.bag") == true, "seed \(seed): \(error)")
    }
  }

  @Test func hostileLengths() throws {
    var bag = MadeBag()
    bag.message("/a", "b", 1, [1])
    bag.endChunk(.bz2) { _ in [1, 2, 3] }
    let whole = bag.close()
    let huge = MadeBag.record(
      [("op", [5]), ("compression", Array("lz4".utf8)), ("size", [255, 255, 255, 255])], [4, 0x22, 0x4D, 0x18])
    for bytes in [
      Array(whole[..<13]) + huge, Array(whole[..<13]) + [255, 255, 255, 255], Array(whole[..<13]), whole,
      Array("#ROSBAG V1.2\n".utf8), Array("#ROSBAG".utf8),
    ] {
      let error = refusal { try open(bytes) }
      #expect(error != nil && error?.path?.hasSuffix("a.bag") == true)
    }
  }

  /// The reader matches frames by the camera's clock, and skips frames without a partner.
  @Test func partners() throws {
    var bag = MadeBag()
    let grey = { (level: UInt8) in [UInt8](repeating: level, count: 36) }
    let units = { (value: Int) in (0..<12).flatMap { _ in MadeBag.number(value, 2) } }
    for (index, seconds) in [10, 10.033, 10.066, 10.2].enumerated() {
      bag.message(
        MadeBag.color + "/image/data", "sensor_msgs/Image", Double(index) / 30,
        MadeBag.image(seconds, 4, 3, "bgr8", step: 12, grey(UInt8(index + 1))))
    }
    for (index, seconds) in [9.9, 10.034, 10.067, 10.1].enumerated() {
      bag.message(
        MadeBag.depth + "/image/data", "sensor_msgs/Image", Double(index) / 30,
        MadeBag.image(seconds, 4, 3, "mono16", step: 8, units(1000 * (index + 1)), unit: 0.0005))
    }
    let source = try open(bag.close())
    let found = try scenes(source)
    #expect(levels(found) == [2, 3] && metres(found, 2, 2) == [1, 1.5])
    #expect(source.skipped.first.map(\.number) == [1, 4])
    #expect(source.warnings.map(\.message).contains { $0.contains("its cameras' positions") })
    #expect(source.info.storedUnitsPerMetre.map { abs($0 - 2000) < 0.01 } == true)
  }

  @Test(
    arguments: [
      ("rgb8", [10, 20, 30]), ("bgr8", [30, 20, 10]), ("rgba8", [10, 20, 30, 255]), ("bgra8", [30, 20, 10, 255]),
    ] as [(String, [UInt8])])
  func colours(encoding: String, pixel: [UInt8]) throws {
    var bag = MadeBag()
    // Rows with three extra bytes.
    var samples: [UInt8] = []
    for _ in 0..<3 {
      for _ in 0..<4 { samples += pixel }
      samples += [9, 9, 9]
    }
    bag.message(
      "/camera/color/image_raw", "sensor_msgs/Image", 1,
      MadeBag.image(1, 4, 3, encoding, step: 4 * pixel.count + 3, samples, unit: nil))
    bag.message(
      "/camera/aligned_depth_to_color/image_raw", "sensor_msgs/Image", 1,
      MadeBag.image(1, 4, 3, "16UC1", step: 8, [UInt8](repeating: 4, count: 24), unit: nil))
    bag.message(
      "/camera/aligned_depth_to_color/camera_info", "sensor_msgs/CameraInfo", 1,
      MadeBag.camera(4, 3, [5, 6, 1.5, 1], model: "plumb_bob", d: [0.1, 0, 0, 0, 0]))
    let source = try open(bag.close())
    let found = try scenes(source)
    #expect(Array(found[0].image.packedBytes.prefix(4)) == [10, 20, 30, 255])
    // Millimetres, as in ROS, already aligned to the picture.
    #expect(metres(found, 1, 1) == [1.028] && source.warnings.isEmpty)
    #expect(found[0].depth?.intrinsics?.cx == 2)
  }

  @Test func infraredWithoutColour() throws {
    let infrared = "/device_0/sensor_0/Infrared_1"
    var source = try open(try MadeBag.small(colorName: infrared, encoding: "8UC1"))
    #expect(source.warnings.map(\.message) == ["the bag has no colour; Backdrop uses the infrared pictures"])
    #expect(try source.next()?.image.packedBytes.prefix(4) == [10, 10, 10, 255])
    // Infrared is never depth.
    var bag = MadeBag()
    for name in [infrared, MadeBag.color] {
      bag.message(
        name + "/image/data", "sensor_msgs/Image", 1,
        MadeBag.image(1, 4, 3, "mono16", step: 8, [UInt8](repeating: 4, count: 24)))
    }
    #expect(refusal { try open(bag.close()) }?.message == "this bag has no depth")
  }

  // MARK: - librealsense

  /// Whether the installed librealsense writes such files: `pyrealsense2` up to 2.57 writes `.bag`, from 2.58 on `.db3`.
  static func hasRecorder(_ fileExtension: String) -> Bool {
    OutsideTool.succeeds(
      OutsideTool.python,
      [
        "-c",
        "import pyrealsense2 as rs, numpy; rs.recorder('/dev/shm/backdrop-test.\(fileExtension)', rs.software_device(), True)",
      ])
  }

  @Test(
    .enabled(if: hasRecorder("bag"), "needs pyrealsense2 2.57 and NumPy"),
    arguments: ["rgb8", "bgr8", "rgba8", "bgra8", "yuyv", "uyvy"], [true, false])
  func bagsOfLibrealsense(format: String, isPacked: Bool) throws {
    try recorderOfLibrealsense(format, isPacked: isPacked, "bag")
  }

  @Test(
    .enabled(if: hasRecorder("db3") && !hasRecorder("bag"), "needs pyrealsense2 2.58 and NumPy"),
    arguments: ["rgb8", "bgr8", "rgba8", "bgra8", "yuyv", "uyvy"], [true, false])
  func databasesOfLibrealsense(format: String, isPacked: Bool) throws {
    try recorderOfLibrealsense(format, isPacked: isPacked, "db3")
  }

  func recorderOfLibrealsense(_ format: String, isPacked: Bool, _ fileExtension: String) throws {
    let file = folder.file("r.\(fileExtension)")
    let (dw, dh, cw, ch, count) = (64, 48, 80, 60, 5)
    try OutsideTool.run(
      OutsideTool.python,
      [
        "-c", Self.recorder, file, isPacked ? "1" : "0", "\(count)", "\(dw)", "\(dh)", "\(cw)", "\(ch)",
        format, "0.00025",
      ])
    let source =
      fileExtension == "bag"
      ? try BagRecording(BagFile(file), options: RecordingOptions())
      : try BagRecording(BagDatabase(file), options: RecordingOptions())
    let found = try scenes(source)
    #expect(found.count == count && source.skipped.isEmpty && source.warnings.isEmpty)
    for (index, scene) in found.enumerated() {
      let units = try Data(contentsOf: URL(fileURLWithPath: file + ".depth\(index)"))
      let map = try #require(scene.depth)
      var wrong = 0
      for (y, x) in product(0..<dh, 0..<dw) {
        let at = 2 * (y * dw + x)
        let unit = UInt16(units[at]) | UInt16(units[at + 1]) << 8
        let found = map.metres[x, y]
        let expected = Float(unit) * Float(0.00025)
        if unit == 0 || unit == .max ? !found.isNaN : found != expected { wrong += 1 }
      }
      #expect(wrong == 0)
      #expect(abs(scene.time - 0.03325 * Double(index)) < 1e-6)
      guard !["yuyv", "uyvy"].contains(format) else { continue }
      let pixels = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file + ".color\(index)")))
      let size = format.hasSuffix("a8") ? 4 : 3
      let order = format.hasPrefix("b") ? [2, 1, 0] : [0, 1, 2]
      let got = scene.image.packedBytes
      let differing = (0..<cw * ch).filter { (pixel: Int) -> Bool in
        let colors = order.map { pixels[size * pixel + $0] }
        return Array(got[4 * pixel..<4 * pixel + 3]) != colors
      }
      #expect(differing.isEmpty)
    }
    let pair = try #require(source.info.cameras)
    #expect(
      pair.depth == CameraModel(Intrinsics(fx: 60.5, fy: 61.5, cx: 31.25, cy: 25.25, width: dw, height: dh)))
    #expect(pair.color.intrinsics == Intrinsics(fx: 80.25, fy: 81.25, cx: 42, cy: 30, width: cw, height: ch))
    guard case .inverseBrownConrady(let k1, _, let p1, _, let k3) = pair.color.lens else {
      Issue.record("another lens")
      return
    }
    #expect(abs(k1 - 0.01) < 1e-8 && abs(p1 - 0.0003) < 1e-9 && abs(k3 - 0.00005) < 1e-9)
    // The file stores the rotation by columns, Backdrop by rows.
    let (c, s) = (cos(0.02), sin(0.02))
    let turn = [c, -s, 0, s, c, 0, 0, 0, 1], shift = [0.015, -0.002, 0.001]
    #expect(zip(pair.extrinsics.rotation, turn).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(zip(pair.extrinsics.translation, shift).allSatisfy { abs($0 - $1) < 1e-6 })
    // Opening the file as an input aligns depth to the picture.
    let aligned = try scenes(try RGBDInput.open(file))
    #expect(aligned.count == count && aligned[0].depth?.metres.width == cw && aligned[0].depth?.isRegistered == true)
  }

  /// Other databases and damaged ones are errors.
  @Test(.enabled(if: OutsideTool.isPresent("sqlite3"), "needs sqlite3"))
  func otherDatabases() throws {
    for text in [
      "CREATE TABLE a(b);", "CREATE TABLE topics(id); CREATE TABLE messages(id);",
      "CREATE TABLE topics(id, name, type, serialization_format); CREATE VIEW messages AS SELECT 1 id, 2 topic_id, 3 timestamp, 4 data;",
      "CREATE TABLE topics(id, name, type, serialization_format); CREATE TABLE messages(id, topic_id, timestamp, data);",
    ] {
      let file = folder.file("x.db3")
      try? FileManager.default.removeItem(atPath: file)
      try OutsideTool.run("sqlite3", [file, text])
      let error = refusal { try RGBDInput.open(file) }
      #expect([.badData, .unsupported].contains(error?.kind), "\(text)")
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      for count in [0, 10, 100, 5000] {
        try bytes.prefix(count).write(to: URL(fileURLWithPath: file))
        #expect(refusal { try RGBDInput.open(file) } != nil)
      }
    }
  }

  /// Records a software device with librealsense, and writes its frames next to the file.
  private static let recorder = """
    import gc, sys
    import numpy as np
    import pyrealsense2 as rs

    path, packed, count, dw, dh, cw, ch = sys.argv[1], sys.argv[2] == "1", *map(int, sys.argv[3:8])
    form, unit = sys.argv[8], float(sys.argv[9])
    size = {"rgb8": 3, "bgr8": 3, "yuyv": 2, "uyvy": 2, "rgba8": 4, "bgra8": 4}[form]

    def stream(kind, uid, width, height, form, size, values, model, coeffs):
        camera = rs.intrinsics()
        camera.width, camera.height = width, height
        camera.fx, camera.fy, camera.ppx, camera.ppy = values
        camera.model, camera.coeffs = model, coeffs
        result = rs.video_stream()
        result.type, result.index, result.uid, result.width, result.height = kind, 0, uid, width, height
        result.fps, result.bpp, result.fmt, result.intrinsics = 30, size, form, camera
        return result

    def record():
        device = rs.software_device()
        stereo, rgb = device.add_sensor("Stereo Module"), device.add_sensor("RGB Camera")
        depth = stereo.add_video_stream(stream(rs.stream.depth, 0, dw, dh, rs.format.z16, 2,
            (60.5, 61.5, dw / 2 - 1.25, dh / 2 + 0.75), rs.distortion.brown_conrady, [0] * 5))
        color = rgb.add_video_stream(stream(rs.stream.color, 1, cw, ch, getattr(rs.format, form), size,
            (80.25, 81.25, cw / 2 + 1.5, ch / 2 - 0.5), rs.distortion.inverse_brown_conrady,
            [0.01, -0.002, 0.0003, 0.0004, 0.00005]))
        stereo.add_read_only_option(rs.option.depth_units, unit)
        extrinsics = rs.extrinsics()
        c, s = float(np.cos(0.02)), float(np.sin(0.02))
        extrinsics.rotation, extrinsics.translation = [c, s, 0, -s, c, 0, 0, 0, 1], [0.015, -0.002, 0.001]
        depth.register_extrinsics_to(color, extrinsics)
        recorder = rs.recorder(path, device, packed)
        sensors = recorder.query_sensors()
        for sensor in sensors:
            sensor.open(sensor.get_stream_profiles())
            sensor.start(lambda frame: None)
        random, keep = np.random.default_rng(7), []
        for index in range(count):
            units = (np.add.outer(np.arange(dh), np.arange(dw)) * 7 + index * 100).astype(np.uint16)
            units[random.random(units.shape) < 0.1] = 0
            units[0, 0] = 65535
            picture = random.integers(0, 256, (ch, cw * size), dtype=np.uint8)
            for which, profile, pixels, stride, bpp, name in (
                (stereo, depth, units, 2 * dw, 2, "depth"), (rgb, color, picture, cw * size, size, "color")):
                pixels.tofile(f"{path}.{name}{index}")
                frame = rs.software_video_frame()
                frame.pixels, frame.stride, frame.bpp = pixels, stride, bpp
                frame.timestamp = 1000000 + index * 33.25 + (2.5 if which is rgb else 0)
                frame.domain, frame.frame_number = rs.timestamp_domain.hardware_clock, index + 1
                frame.profile = profile.as_video_stream_profile()
                if which is stereo:
                    frame.depth_units = unit
                keep.append(pixels)
                which.on_video_frame(frame)
        for sensor in sensors:
            sensor.stop()
            sensor.close()

    record()
    gc.collect()
    """
}
