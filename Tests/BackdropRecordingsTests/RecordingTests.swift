import BackdropClouds
import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing
@testable import BackdropRecordings

@Suite struct RecordingTests {
  func tum() throws -> RecordingFolder {
    let made = RecordingFolder()
    for index in 1...4 {
      try made.color("rgb/\(index).png", UInt8(index))
      try made.depth("depth/\(index).png", units: Float(index) * 5000)
    }
    try made.write(
      "rgb.txt",
      "# color images\n# timestamp filename\n10.00 rgb/1.png\n10.04\trgb/2.png extra\r\n\n10.08 rgb/3.png\n10.12,rgb/4.png"
    )
    try made.write("depth.txt", "10.001 depth/1.png\n10.05 depth/2.png\n10.12 depth/4.png\n")
    return made
  }

  @Test func tumLayout() throws {
    let made = try tum()
    var recording = try PictureFolderRecording(folder: made.path)
    #expect(recording.width == 8 && recording.height == 6 && recording.frameCount == 3)
    #expect(recording.unitsPerMetre == 5000 && recording.intrinsics == nil && recording.warnings.isEmpty)
    let first = try #require(try recording.next())
    #expect(first.image.format == .rgba8 && first.time == 0)
    #expect(first.depth?.metres[1, 1] == 1 && first.depth?.metres[0, 0].isNaN == true)
    let second = try #require(try recording.next())
    #expect(abs(second.time - 0.04) < 1e-9)
    #expect(try recordingSummary(&recording) == ["4:4.0"])
    #expect(recording.skipped.first.map(\.number) == [3])
    #expect(recording.skipped.first[0].description.hasPrefix("frame 3: it has no depth within 0.02 s: "))
    #expect(try recording.next() == nil)
  }

  @Test func scaleAndToleranceCanBeGiven() throws {
    let made = try tum()
    var options = RecordingOptions()
    options.unitsPerMetre = 10_000
    options.timeTolerance = 0.05
    var recording = try PictureFolderRecording(folder: made.path, options: options)
    // The closest pair first: 10.12 with 10.12, 10.00 with 10.001, 10.04 with 10.05; no partner remains for 10.08.
    #expect(try recordingSummary(&recording) == ["1:0.5", "2:1.0", "4:2.0"])
    options.timeTolerance = 0.0001
    recording = try PictureFolderRecording(folder: made.path, options: options)
    #expect(try recordingSummary(&recording) == ["4:2.0"])
    options.timeTolerance = 0
    #expect(refusal { try PictureFolderRecording(folder: made.path, options: options) }?.kind == .badData)
    options.timeTolerance = .nan
    #expect(refusal { try PictureFolderRecording(folder: made.path, options: options) }?.kind == .badData)
    options.timeTolerance = .infinity
    options.unitsPerMetre = 0
    #expect(
      refusal { try PictureFolderRecording(folder: made.path, options: options) }?.kind == .wrongArgument)
  }

  @Test func damagedFramesArePassedOver() throws {
    let made = try tum()
    try made.write("depth.txt", "10.0 depth/1.png\n10.04 depth/2.png\n10.08 depth/3.png\n10.12 depth/4.png\n")
    let whole = try Data(contentsOf: URL(fileURLWithPath: made.folder.file("depth/2.png")))
    try made.write("depth/2.png", bytes: Array(whole.prefix(whole.count / 2)))
    try FileManager.default.removeItem(atPath: made.folder.file("rgb/3.png"))
    var recording = try PictureFolderRecording(folder: made.path)
    #expect(try recordingSummary(&recording) == ["1:1.0", "4:4.0"])
    #expect(recording.skipped.first.map(\.number) == [2, 3])
    #expect(
      recording.skipped.first[0].error.kind == .badData
        && recording.skipped.first[0].error.path!.hasSuffix("depth/2.png"))
    #expect(recording.skipped.first[1].error.path!.hasSuffix("rgb/3.png"))
    // A damaged picture at the beginning, and pictures of different sizes later.
    try made.write("rgb/1.png", "")
    try made.color("rgb/3.png", 3, width: 9)
    try made.depth("depth/4.png", units: 5000, width: 8, height: 2)
    try made.depth("depth/2.png", units: 5000)
    recording = try PictureFolderRecording(folder: made.path)
    #expect(try recordingSummary(&recording) == ["2:1.0"])
    #expect(recording.skipped.first.map(\.number) == [1, 3, 4])
    #expect(
      recording.skipped.first[1].error.message.contains("9×6")
        && recording.skipped.first[1].error.message.contains("8×6"))
    try FileManager.default.removeItem(atPath: made.folder.file("rgb/2.png"))
    try FileManager.default.removeItem(atPath: made.folder.file("rgb/3.png"))
    try FileManager.default.removeItem(atPath: made.folder.file("rgb/4.png"))
    let error = refusal { try PictureFolderRecording(folder: made.path) }
    #expect(error?.message.hasPrefix("Backdrop can use none of the 4 frames; the first: the file is empty") == true)
  }

  @Test(arguments: [
    "1.0 /etc/passwd", "1.0 ../secret.png", "1.0 rgb/../../secret.png", "1.0 rgb/\0.png", "1.0", "x rgb/1.png",
    "nan rgb/1.png", "inf rgb/1.png",
  ])
  func hostileListsAreRefused(line: String) throws {
    let made = try tum()
    try made.write("rgb.txt", "10.0 rgb/1.png\n" + line + "\n")
    let error = refusal { try PictureFolderRecording(folder: made.path) }
    #expect(error?.kind == .badData && error?.message.hasPrefix("line 2 ") == true)
    #expect(error?.path?.hasSuffix("rgb.txt") == true)
  }

  @Test func foldersMatchedByName() throws {
    for (colorFolder, prefix) in [("rgb", ""), ("color", ""), ("images", "img_"), ("rgb", "frame-")] {
      let made = RecordingFolder()
      for index in [2, 10, 9, 4] {
        try made.color("\(colorFolder)/\(prefix)\(index).png", UInt8(index))
        if index != 4 { try made.depth("depth/\(prefix)\(index).png", units: Float(index) * 1000) }
      }
      try made.depth("depth/\(prefix)11.png", units: 1000)
      var recording = try PictureFolderRecording(folder: made.path)
      #expect(recording.frameCount == 3)
      #expect(try recordingSummary(&recording) == ["2:2.0", "9:9.0", "10:10.0"], "\(colorFolder)/\(prefix)")
      // In the order 2, 4, 9, 10, 11: the second has no depth and the last no colour.
      #expect(recording.skipped.first.map(\.number) == [2, 5], "\(colorFolder)/\(prefix)")
    }
  }

  @Test(arguments: [
    ("7.png", "7_depth.png"), ("rgb_7.png", "depth_7.png"), ("7_color.png", "7-depth.png"),
    ("rgb.png", "depth.png"), ("video7.png", "depth7.png"), ("IMG_7.png", "IMG_7_DEPTH.PNG"),
  ])
  func pairsInOneFolder(color: String, depth: String) throws {
    let made = RecordingFolder()
    try made.color(color, 7)
    try made.depth(depth, units: 2500)
    try made.color("7_mask.png", 99)
    try made.write("notes.txt", "x")
    var recording = try PictureFolderRecording(folder: made.path)
    #expect(try recordingSummary(&recording) == ["7:2.5"])
    #expect(recording.skipped.isEmpty)
  }

  @Test func framesOfAFolderAreTimedByRate() throws {
    let made = RecordingFolder()
    for index in [1, 2, 4] {
      try made.color("rgb/\(index).png", UInt8(index))
      if index != 2 { try made.depth("depth/\(index).png", units: 1000) }
    }
    var options = RecordingOptions()
    options.framesPerSecond = 10
    var recording = try PictureFolderRecording(folder: made.path, options: options)
    #expect(try recording.next()?.time == 0)
    #expect(try recording.next()?.time == 0.2)
  }

  @Test func noFolderAndNoFrames() throws {
    let made = RecordingFolder()
    #expect(
      refusal { try PictureFolderRecording(folder: made.folder.file("none")) }?.kind == .wrongArgument)
    try made.color("lonely.png", 1)
    #expect(
      refusal { try PictureFolderRecording(folder: made.folder.file("lonely.png")) }?.kind
        == .wrongArgument)
    #expect(refusal { try PictureFolderRecording(folder: made.path) }?.kind == .badData)
    try made.depth("other_depth.png", units: 1)
    #expect(refusal { try PictureFolderRecording(folder: made.path) }?.hint != nil)
  }

  @Test func aspectsMustAgreeUnlessAllowed() throws {
    let made = RecordingFolder()
    try made.color("c.png", 1, width: 32, height: 18)
    try made.depth("d.png", units: 1000, width: 32, height: 24)
    let error = refusal {
      _ = try PictureFolderRecording(color: made.folder.file("c.png"), depth: made.folder.file("d.png"))
    }
    #expect(error?.kind == .badData && error?.hint != nil && error?.path == made.folder.file("d.png"))
    #expect(error?.message.contains("32×24") == true && error?.message.contains("32×18") == true)
    var options = RecordingOptions()
    options.allowsAnyAspect = true
    var recording = try PictureFolderRecording(
      color: made.folder.file("c.png"), depth: made.folder.file("d.png"), options: options)
    #expect(try recording.next()?.depth?.height == 24)
    // 854×480 is 16:9 up to 0.1 %.
    try made.color("c.png", 1, width: 854, height: 480)
    try made.depth("d.png", units: 1000, width: 64, height: 36)
    _ = try PictureFolderRecording(color: made.folder.file("c.png"), depth: made.folder.file("d.png"))
  }

  @Test func depthMustBeSixteenBitGrey() throws {
    let made = RecordingFolder()
    try made.color("c.png", 1)
    let error = refusal {
      _ = try PictureFolderRecording(color: made.folder.file("c.png"), depth: made.folder.file("c.png"))
    }
    #expect(error?.kind == .badData && error?.message.contains("gray8") == true)
    #expect(
      refusal {
        _ = try PictureFolderRecording(color: made.folder.file("x.png"), depth: made.folder.file("c.png"))
      }
        != nil)
  }

  @Test func depthOfHolesIsReadAndSaysSo() throws {
    let made = RecordingFolder()
    try made.color("c.png", 1)
    try made.depth("d.png", units: 0)
    var recording = try PictureFolderRecording(color: made.folder.file("c.png"), depth: made.folder.file("d.png"))
    #expect(try recording.next()?.depth?.isEmpty == true)
  }

  @Test func rawFramesNeedASize() throws {
    let made = RecordingFolder()
    let metres: [Float] = [1, 2, 0, 4, 5, 6]
    try made.write(
      "depth1.bin",
      bytes: metres.flatMap { value in
        (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) }
      })
    try made.write("video1.bin", bytes: (0..<24).map { UInt8($0) })
    #expect(refusal { try PictureFolderRecording(folder: made.path) }?.kind == .wrongArgument)
    var options = RecordingOptions()
    options.raw = RawFrameLayout(width: 3, height: 2)
    var recording = try PictureFolderRecording(folder: made.path, options: options)
    let frame = try #require(try recording.next())
    // BGRA 0, 1, 2, 3 is RGBA 2, 1, 0, 3.
    #expect(Array(frame.image.packedBytes.prefix(4)) == [2, 1, 0, 3])
    #expect(frame.depth?.metres[1, 0] == 2 && frame.depth?.metres[2, 0].isNaN == true)
    try made.write("depth1.dat", bytes: InputFile.read(made.folder.file("depth1.bin")))
    recording = try PictureFolderRecording(
      color: made.folder.file("video1.bin"), depth: made.folder.file("depth1.dat"), options: options)
    #expect(try recording.next()?.depth?.metres[0, 1] == 4)
    options.raw = RawFrameLayout(width: 3, height: 3)
    #expect(refusal { try PictureFolderRecording(folder: made.path, options: options) }?.kind == .badData)
    options.raw = RawFrameLayout(width: .max, height: .max)
    #expect(
      refusal { try PictureFolderRecording(folder: made.path, options: options) }?.kind == .overLimit)
    options.raw = RawFrameLayout(width: 0, height: -1)
    #expect(refusal { try PictureFolderRecording(folder: made.path, options: options) }?.kind == .badData)
  }

  @Test func turnedPicturesAndTheirDepth() throws {
    // A JPEG marked as stored rotated (orientation 6): 8×6 stored, 6×8 upright.
    let made = RecordingFolder()
    let stored = Image(gray: Plane(repeating: 128, width: 8, height: 6))
    var jpeg = try Picture.encode(stored, as: .jpeg)
    let exif: [UInt8] =
      [0xFF, 0xE1, 0, 34] + Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
      + [0, 0, 0, 0]
    jpeg.insert(contentsOf: exif, at: 2)
    try made.write("c.jpg", bytes: jpeg)
    for (width, height) in [(8, 6), (6, 8), (4, 3)] {
      try made.depth("d.png", units: 1000, width: width, height: height)
      var recording = try PictureFolderRecording(color: made.folder.file("c.jpg"), depth: made.folder.file("d.png"))
      let frame = try #require(try recording.next())
      #expect(frame.image.width == 6 && frame.image.height == 8 && frame.image.orientation == .up)
      let depth = try #require(frame.depth)
      #expect(depth.width == min(width, height) && depth.height == max(width, height))
      // Depth is stored like the picture, so the hole in the first corner moves to the upper right.
      #expect(depth.metres[width > height ? depth.width - 1 : 0, 0].isNaN)
    }
  }

  @Test(arguments: [
    ("camera.json", #"{"width":8,"height":6,"intrinsic_matrix":[5,0,0,0,6,0,3.5,2.5,1]}"#),
    ("camera_primesense.json", #"{"width":8,"height":6,"intrinsic_matrix":[5.0,0,0,0,6,0,3.5,2.5,1]}"#),
    (
      "calibration.json",
      #"{"pixelSize":0.001,"intrinsicReferenceDimensionWidth":8,"intrinsic":[5,0,0,0,6,0,4,3,1],"intrinsicReferenceDimensionHeight":6}"#
    ),
    ("intrinsics.json", #"{"fx":5,"fy":6,"cx":4,"cy":3,"width":8,"height":6}"#),
    ("camera.txt", "# fx fy cx cy w h\n5 6 3.5 2.5 8 6\n"),
    (
      "camera.xml",
      "<intrinsic type_id=\"opencv-matrix\"><dt>f</dt>\n<data>\n 5. 0. 3.5 0. 6. 2.5 0. 0. 1.</data></intrinsic>"
    ),
  ])
  func intrinsicsBesideTheFrames(name: String, text: String) throws {
    let made = RecordingFolder()
    try made.color("rgb/1.png", 1)
    try made.depth("depth/1.png", units: 1000)
    try made.write(name, text)
    var recording = try PictureFolderRecording(folder: made.path)
    let expected = Intrinsics(fx: 5, fy: 6, cx: 4, cy: 3, width: 8, height: 6)
    #expect(recording.intrinsics == expected && recording.warnings.isEmpty)
    #expect(try recording.next()?.depth?.intrinsics == expected)
  }

  /// Open3D's and the TUM benchmark's formula (generate_pointcloud.py): X = (u - cx) Z / fx with u = 0 in the first pixel.
  @Test(arguments: [
    ("camera_intrinsic.json", #"{"width":8,"height":6,"intrinsic_matrix":[5,0,0,0,6,0,3.25,2.75,1]}"#),
    ("camera.txt", "5 6 3.25 2.75 8 6\n"),
    ("camera.xml", "<intrinsic type_id=\"opencv-matrix\"><data>5. 0. 3.25 0. 6. 2.75 0. 0. 1.</data></intrinsic>"),
  ])
  func distancesAreThoseOfOtherPrograms(name: String, text: String) throws {
    let made = RecordingFolder()
    try made.color("rgb/1.png", 1)
    try made.depth("depth/1.png", units: 1000)
    try made.write(name, text)
    var recording = try PictureFolderRecording(folder: made.path)
    let first = try #require(try recording.next())
    let map = try #require(first.depth)
    var options = PointCloud.Options()
    options.removesFlyingPixels = false
    let cloud = try PointCloud(map, options: options)
    var index = 0
    for (v, u) in product(0..<6, 0..<8) where !map.metres[u, v].isNaN {
      let z = map.metres[u, v]
      let found = cloud.position(index)
      #expect(abs(found.x - (Float(u) - 3.25) * z / 5) < 1e-6 && abs(found.y - (Float(v) - 2.75) * z / 6) < 1e-6)
      index += 1
    }
    #expect(index == cloud.count && index > 0)

    // Writing and reading keeps the cameras, both with Backdrop's description and, without it, by other programs' rules.
    let copy = made.folder.file("copy")
    let writer = try RecordingWriter(copy, overwrite: false)
    try writer.write(first)
    try writer.commit()
    #expect(try PictureFolderRecording(folder: copy).intrinsics == map.intrinsics)
    try FileManager.default.removeItem(atPath: copy + "/recording.json")
    #expect(try PictureFolderRecording(folder: copy).intrinsics == map.intrinsics)
    let written = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: copy + "/camera_intrinsic.json")))
    let matrix = try #require((written as? [String: Any])?["intrinsic_matrix"] as? [Double])
    #expect(matrix == [5, 0, 0, 0, 6, 0, 3.25, 2.75, 1])
  }

  @Test(arguments: [
    "", "{", "[]", "[[[[", #"{"width":8,"height":6,"intrinsic_matrix":[1,2]}"#,
    #"{"width":0,"height":6,"intrinsic_matrix":[5,0,0,0,6,0,4,3,1]}"#,
    #"{"width":8,"height":6,"intrinsic_matrix":[-5,0,0,0,6,0,4,3,1]}"#,
    #"{"width":8,"height":6,"intrinsic_matrix":[1e300,0,0,0,6,0,4,3,1]}"#,
    String(repeating: "[", count: 100_000),
  ])
  func badCameraFilesAreAWarning(text: String) throws {
    let made = RecordingFolder()
    try made.color("rgb/1.png", 1)
    try made.depth("depth/1.png", units: 1000)
    try made.write("camera.json", text)
    let recording = try PictureFolderRecording(folder: made.path)
    #expect(recording.intrinsics == nil && recording.warnings.count == 1)
  }

  @Test(arguments: 0..<20) func associationFollowsTheBenchmarksTool(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    func times() -> [Double] {
      Set(
        (0..<Int.random(in: 1...40, using: &random)).map { _ in Double(Int.random(in: 0...300, using: &random)) / 200 }
      )
      .sorted()
    }
    let (first, second) = (times(), times())
    let tolerance = [0.004, 0.02, 0.3].randomElement(using: &random)!
    // All pairs, closest first, each time used once, like the benchmark's associate.py.
    var all: [(Double, Double, Double)] = []
    for a in first { for b in second where abs(a - b) < tolerance { all.append((abs(a - b), a, b)) } }
    var (usedFirst, usedSecond, expected): (Set<Double>, Set<Double>, [[Double]]) = ([], [], [])
    for (_, a, b) in all.sorted(by: <) where !usedFirst.contains(a) && !usedSecond.contains(b) {
      usedFirst.insert(a)
      usedSecond.insert(b)
      expected.append([a, b])
    }
    let partners = try TUMLists.associate(first, second, tolerance: tolerance)
    let found = zip(first, partners).compactMap { time, partner in partner.map { [time, second[$0]] } }
    #expect(found == expected.sorted { $0[0] < $1[0] }, "seed \(seed)")
  }

  @Test func associationOfTooManyCandidatesStops() {
    let times = (0..<3000).map { Double($0) * 1e-6 }
    #expect(refusal { try TUMLists.associate(times, times, tolerance: 1) }?.kind == .overLimit)
  }
}
