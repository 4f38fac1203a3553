import Backdrop
import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropSimulation
import Foundation
import TestSupport
import Testing

/// `record` and `convert-recording`, and recordings in all formats as input.
@Suite struct RecordCommandTests {
  let work = Workplace()

  func jpeg(_ color: RGBColor = Workplace.realBackground, _ width: Int = 64, _ height: Int = 48) throws -> [UInt8] {
    var image = Image(.rgba8, width: width, height: height, color: .jpeg)
    image.fill(color)
    return try JPEG.encode(image)
  }

  /// Depth that is near on the left and far on the right.
  static let metres = (0..<64 * 48).map { Float($0 % 64 < 32 ? 0.5 : 3) }

  func record3D(_ count: Int = 4) throws -> MadeRecord3D {
    var made = MadeRecord3D()
    for index in 0..<count { made.add(index, jpeg: try jpeg(), metres: Self.metres) }
    return made
  }

  func depths(_ name: String) throws -> [DepthMap] {
    var source = try RGBDInput.open(work.path(name))
    var result: [DepthMap] = []
    while let frame = try source.next() { result.append(try #require(frame.depth)) }
    #expect(source.skipped.isEmpty)
    return result
  }

  func equal(_ a: [DepthMap], _ b: [DepthMap]) -> Bool {
    a.count == b.count
      && zip(a, b).allSatisfy { a, b in
        a.intrinsics == b.intrinsics
          && (0..<a.height).allSatisfy { y in
            let (p, q) = (a.metres, b.metres)
            return (0..<a.width).allSatisfy { p[$0, y].bitPattern == q[$0, y].bitPattern }
          }
      }
  }

  /// Converting a recording from a file to a folder and back to a file does not change depth.
  @Test func roundTrip() throws {
    try work.succeed("record sim:talking?size=160x90&depth=80x60&seconds=0.4 -o a.mkv")
    try work.succeed("convert-recording a.mkv b")
    try work.succeed("convert-recording b/ c.mkv")
    try work.succeed("convert-recording c.mkv d --output-scale 1000")
    let first = try depths("a.mkv")
    #expect(first.count == 12 && first[0].width == 80 && first[0].height == 60)
    #expect(first[0].intrinsics != nil)
    #expect(equal(try depths("b"), first))
    #expect(equal(try depths("c.mkv"), first))
    #expect(try depths("d").count == 12)
    for name in ["a.mkv", "c.mkv"] {
      let video = try MediaTool.video(work.path(name))
      #expect(video["nb_read_frames"] == "12" && video["codec_name"] == "h264")
    }
    let folder = try work.names("b")
    #expect(folder == ["camera_intrinsic.json", "depth", "depth.txt", "recording.json", "rgb", "rgb.txt"])
  }

  /// Record3D keeps Float32: converting there and back changes nothing, and Python's zipfile accepts the archive.
  @Test func record3DRoundTrip() throws {
    try work.succeed("record sim:talking?size=160x90&depth=80x60&seconds=0.2 -o a.r3d")
    try work.succeed("convert-recording a.r3d b.r3d")
    let (first, second) = (try depths("a.r3d"), try depths("b.r3d"))
    #expect(first.count == 6 && equal(first, second))
    let camera = try SimulatedCamera(address: "sim:talking?size=160x90&depth=80x60&seconds=0.2")
    let truth = try (0..<6).map { try #require(camera.frame($0).frame.depth) }
    for (a, b) in zip(first, truth) {
      let (p, q) = (a.metres, b.metres)
      for y in 0..<60 { for x in 0..<80 { #expect(p[x, y] == q[x, y] || (p[x, y].isNaN && q[x, y].isNaN)) } }
    }
    try OutsideTool.run(
      "python3",
      [
        "-c",
        "import zipfile,sys; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; assert len(z.namelist())==19",
        work.path("a.r3d"),
      ])
    try work.refuse("convert-recording a.r3d c.r3d --crf 20", says: "has depth in metres", path: "c.r3d")
    try work.picture("rec/color/1.png")
    try work.depth("rec/depth/1.png")
    try work.refuse("convert-recording rec c.r3d", says: "needs intrinsics", path: "c.r3d")
  }

  @Test func limits() throws {
    try work.succeed("record sim:?size=64x36&seconds=2 -o five.mkv --frames 5")
    #expect(try depths("five.mkv").count == 5)
    try work.succeed("record sim:?size=64x36&seconds=2 -o half.mkv --seconds 0.5")
    #expect(try depths("half.mkv").count == 15)
    let outcome = try work.succeed("record sim:?size=64x36&seconds=1 -o five.mkv --frames 2 --force --json")
    let root = try outcome.object()
    #expect(root["frames"] as? Int == 2 && root["unitsPerMetre"] as? Double == 5000)
    #expect(outcome.errors.contains("note: Backdrop rounds depth to 0.2 mm"), "\(outcome.errors)")
  }

  /// All formats work as input of the other commands, with the same result.
  @Test func everyFormatIsInput() throws {
    try work.write(try record3D().bytes, "a.r3d")
    try work.succeed("convert-recording a.r3d a.mkv")
    try work.succeed("convert-recording a.r3d tum")
    // The layout of Open3D's recordings.
    for index in 0..<4 {
      try work.write(try jpeg(), "open3d/color/00000\(index).jpg")
      try work.depth("open3d/depth/00000\(index).png", 64, 48, 500, right: 3000)
    }
    try work.write(
      #"{"width": 64, "height": 48, "intrinsic_matrix": [60, 0, 0, 0, 60, 0, 31.5, 23.5, 1]}"#.utf8,
      "open3d/camera_intrinsic.json")
    for name in ["a.r3d", "a.mkv", "tum", "open3d"] {
      let found = try depths(name)
      #expect(found.count == 4, "\(name)")
      let camera = try #require(found[0].intrinsics, "\(name)")
      #expect(camera.fx == 60 && camera.cx == 32 && camera.width == 64, "\(name)")
      // The factor from units to metres is rounded to a Float.
      let (near, far) = (found[0].metres[3, 3], found[0].metres[60, 3])
      #expect(abs(near - 0.5) < 1e-6 && abs(far - 3) < 1e-6, "\(name): \(near) \(far)")
      try work.succeed("replace \(name) -o \(name).out/%d.png --background #0000ff --matte depth --no-face --cutoff 1")
      #expect(try work.names("\(name).out").count == 4)
      let (left, right) = (
        try work.color("\(name).out/2.png", x: 4, y: 24), try work.color("\(name).out/2.png", x: 60, y: 24)
      )
      #expect(left[0] > 240 && left[2] < 16 && right[2] > 240 && right[0] < 16, "\(name): \(left) \(right)")
    }
  }

  /// Pixels that ARKit is not sure of are holes.
  @Test func confidence() throws {
    var made = MadeRecord3D()
    let confidence = (0..<64 * 48).map { UInt8($0 % 64 < 8 ? 0 : $0 % 64 < 40 ? 1 : 2) }
    made.add(0, jpeg: try jpeg(), metres: Self.metres, confidence: confidence)
    made.more = #""poses": [[0, 0, 0, 1, 0, 0, 0]]"#
    made.files.append(MadeArchive.File("sound.m4a", [1, 2, 3]))
    try work.write(made.bytes, "a.r3d")
    let map = try depths("a.r3d")[0].metres
    #expect(map[7, 0].isNaN && map[8, 0] == 0.5 && map[63, 47] == 3)
    let outcome = try work.succeed("convert-recording a.r3d a.mkv")
    for part in ["sound", "camera poses", "the confidence"] {
      #expect(outcome.errors.contains("note: the recording lacks \(part)"), "\(outcome.errors)")
    }
    // The commands report, draw and use confidence: 32 of 56 columns have half confidence.
    let mean = (32.0 * 128 / 255 + 24) / 56
    let text = try work.text("depth stats a.r3d")
    #expect(text.contains("confidence   \((mean * 1000).rounded() / 10)%\n"), "\(text)")
    try work.succeed("depth colorize a.r3d -o c.png --confidence --palette grey")
    let (hole, half, full) = try (
      work.color("c.png", x: 3, y: 9), work.color("c.png", x: 20, y: 9), work.color("c.png", x: 60, y: 9)
    )
    #expect(hole != half && half != full && full != hole, "\(hole) \(half) \(full)")
    for (least, columns) in [("0", 56), ("0.5", 56), ("0.6", 24), ("1", 24)] {
      let root = try work.json("pointcloud a.r3d -o \(least).ply --min-confidence \(least) --keep-edges")
      #expect(root["points"] as? Int == columns * 48, "\(least)")
    }
    try work.refuse("pointcloud a.r3d -o x.ply --min-confidence 1.5", says: "out of range: 0…1")
    try work.refuse("depth colorize a.r3d -o x.png --confidence --legend", says: "confidence has no distances to show")
  }

  /// Depth of another camera, 10 cm to the side: points at 2 m move by 60 · 0.1 / 2 = 3 pixels.
  @Test func alignment() throws {
    try work.write(try jpeg(), "rec/color/1.jpg")
    try work.depth("rec/depth/1.png", 64, 48, 2000, right: 2000)
    let camera = #"{"fx": 60, "fy": 60, "cx": 32, "cy": 24, "width": 64, "height": 48}"#
    try work.write(#"{"depth": \#(camera), "color": \#(camera), "translation": [0.1, 0, 0]}"#.utf8, "cams.json")
    try work.succeed("convert-recording rec out.mkv --align cams.json")
    let map = try depths("out.mkv")[0]
    #expect(map.metres[2, 20].isNaN && map.metres[3, 20] == 2 && map.metres[63, 20] == 2)
    #expect(map.intrinsics?.fx == 60)
    let root = try work.json("pointcloud rec -o a.ply --align cams.json --align-to depth --keep-edges")
    #expect(root["points"] as? Int == 64 * 48)
    try work.refuse(
      "convert-recording rec b.mkv --align cams.json --align-to up", says: "'up' is not a view to align to")
    try work.refuse("depth stats rec --align rec/color/1.jpg", says: "no pair of cameras")
    try work.refuse(
      "pointcloud rec/color/1.jpg --depth rec/depth/1.png -o b.ply --align cams.json",
      says: "Backdrop aligns recordings")
  }

  /// The command counts and reports missing or damaged frames, and reads the others.
  @Test func missingFrames() throws {
    var made = try record3D(6)
    made.more = #""frameTimestamps": [5, 5.1, 5.2, 5.3, 5.4, 5.5, 5.6]"#
    made.files.removeAll { ["rgbd/1.depth", "rgbd/3.jpg", "rgbd/4.jpg", "rgbd/4.depth"].contains($0.name) }
    made.files[made.files.count - 1] = MadeArchive.File("rgbd/5.depth", Array("bvx2 no".utf8))
    try work.write(made.bytes, "a.r3d")
    let root = try work.json("convert-recording a.r3d tum")
    let tally = try #require(root["skipped"] as? [String: Any])
    let skipped = try #require(tally["first"] as? [[String: Any]])
    #expect(tally["count"] as? Int == 5)
    #expect(root["frames"] as? Int == 2)
    #expect(skipped.compactMap { $0["frame"] as? Int } == [2, 4, 5, 7, 6])
    let times = try String(contentsOfFile: work.path("tum/rgb.txt"), encoding: .utf8)
    #expect(times.contains("0.000000 rgb/00001.png\n0.200000 rgb/00002.png"), "\(times)")
  }

  // MARK: - Bad input

  @Test func badRecord3D() throws {
    let sound = try record3D()
    try work.write(sound.bytes.prefix(sound.bytes.count - 100), "cut.r3d")
    try work.refuse("convert-recording cut.r3d out.mkv", says: "cut off", path: "cut.r3d")
    try work.refuse("replace cut.r3d -o out.mp4", says: "cut off", path: "cut.r3d")
    try work.write([], "empty.r3d")
    try work.refuse("convert-recording empty.r3d out.mkv", says: "empty", path: "empty.r3d")
    try work.write("PK no archive".utf8, "words.r3d")
    try work.refuse("convert-recording words.r3d out.mkv", says: "not a ZIP archive", path: "words.r3d")
    try work.write(MadeArchive.bytes([MadeArchive.File("word/document.xml", [1])]), "letter.r3d")
    try work.refuse("convert-recording letter.r3d out.mkv", says: "not a Record3D recording", path: "letter.r3d")

    var made = sound
    made.focal = 0
    try work.write(made.bytes, "focal.r3d")
    try work.refuse("convert-recording focal.r3d out.mkv", says: "fit no camera: fx 0.0", path: "focal.r3d")
    made = sound
    made.toldDepth = (65, 48)
    try work.write(made.bytes, "size.r3d")
    try work.refuse(
      "convert-recording size.r3d out.mkv", says: "Backdrop can use none of the 4 frames", path: "size.r3d")
    made.toldDepth = (1 << 20, 1 << 20)
    try work.write(made.bytes, "huge.r3d")
    try work.refuse("convert-recording huge.r3d out.mkv", says: "over the limit", path: "huge.r3d")
    made = MadeRecord3D()
    try work.write(made.bytes, "none.r3d")
    try work.refuse("convert-recording none.r3d out.mkv", says: "no frame with colour and depth", path: "none.r3d")
    made.add(0, jpeg: try jpeg(), metres: Self.metres)
    made.files[1] = MadeArchive.File("rgbd/0.depth", Array("bvx2".utf8) + [UInt8](repeating: 0xA5, count: 900))
    try work.write(made.bytes, "garbage.r3d")
    try work.refuse("convert-recording garbage.r3d out.mkv", says: "LZFSE data is damaged", path: "garbage.r3d")
    try work.refuse("matte garbage.r3d -o out.png", says: "LZFSE data is damaged", path: "garbage.r3d")
    // A few bytes that announce four gigabytes.
    var bomb = MadeArchive.File("metadata", [1, 2, 3])
    (bomb.method, bomb.byteCount) = (8, 0xFFFF_FFF0)
    try work.write(MadeArchive.bytes([bomb]), "bomb.r3d")
    try work.refuse("convert-recording bomb.r3d out.mkv", says: "over the limit", path: "bomb.r3d")
    bomb.byteCount = 1000
    try work.write(MadeArchive.bytes([bomb]), "bomb.r3d")
    try work.refuse("convert-recording bomb.r3d out.mkv", says: "does not unpack to its 1000 bytes", path: "bomb.r3d")
  }

  @Test func badFolders() throws {
    try work.picture("rec/color/1.png")
    try work.depth("rec/depth/1.png")
    try work.write(
      #"{"width": 64, "height": 48, "intrinsic_matrix": [0, 0, 0, 0, 60, 0, 32, 24, 1]}"#.utf8,
      "rec/camera_intrinsic.json")
    try work.refuse(
      "convert-recording rec out.mkv", says: "fit no camera: fx 0.0", path: "rec/camera_intrinsic.json")
    try FileManager.default.removeItem(atPath: work.path("rec/camera_intrinsic.json"))
    try FileManager.default.removeItem(atPath: work.path("rec/depth/1.png"))
    try work.refuse("convert-recording rec out.mkv", says: "no colour picture has a depth picture", path: "rec")
  }

  @Test func badMatroska() throws {
    try work.clip("plain.mkv")
    try work.refuse("convert-recording plain.mkv out.mkv", says: "finds no depth here", path: "plain.mkv")
    try work.succeed("record sim:?size=64x36&seconds=0.3 -o a.mkv -q")
    try work.write(try work.data("a.mkv").prefix(300), "cut.mkv")
    try work.refuse("convert-recording cut.mkv out.mkv", says: "its beginning is damaged", path: "cut.mkv")
    let text = try work.data("a.mkv")
    // The new value in the description has the same length.
    var bytes = Array(text)
    let key = Array(#""fx" : "#.utf8)
    let at = try #require((0..<bytes.count - 20).first { Array(bytes[$0..<$0 + key.count]) == key })
    var index = at + key.count
    while [UInt8(ascii: "."), UInt8(ascii: "-")].contains(bytes[index]) || (48...57).contains(bytes[index]) {
      bytes[index] = UInt8(ascii: "0")
      index += 1
    }
    try work.write(bytes, "focal.mkv")
    try work.refuse(
      "convert-recording focal.mkv out", says: "the description of the recording is damaged", path: "focal.mkv")
  }

  @Test func badOutputs() throws {
    let input = "sim:?size=64x36&seconds=0.2"
    try work.refuse("record \(input) -o out.mp4", says: "does not write recordings as .mp4", path: "out.mp4")
    try work.refuse("record \(input) -o no/out.mkv", says: "the output folder does not exist")
    try work.succeed("record \(input) -o a.mkv -q")
    try work.refuse("record \(input) -o a.mkv", says: "the output already exists", path: "a.mkv")
    try work.refuse("convert-recording a.mkv a.mkv --force", says: "are in the same place", path: "a.mkv")
    try work.succeed("convert-recording a.mkv rec -q")
    try work.refuse("convert-recording a.mkv rec", says: "the output already exists", path: "rec")
    try work.refuse("convert-recording rec rec/out.mkv", says: "are in the same place", path: "rec/out.mkv")
    try FileManager.default.createSymbolicLink(atPath: work.folder.file("link"), withDestinationPath: "rec")
    try work.refuse("convert-recording rec link/new", says: "are in the same place", path: "link/new")
    try work.refuse("convert-recording \(input) b.mkv", says: "it does not convert one", path: input)
    try work.refuse("record \(input) -o b.mkv --frames 0", says: "0 frames")
    try work.refuse("record \(input) -o b.mkv --seconds -1", says: "-1.0 seconds")
    try work.refuse("record \(input) -o b.mkv --output-scale 0", says: "depth scale")
    try work.refuse("record \(input) -o b.mkv --crf 99", says: "out of range")
    try work.refuse("record missing.r3d -o b.mkv", says: "no such file", path: "missing.r3d")
  }

  /// An interruption leaves no file.
  @Test(arguments: ["out.mkv", "out"]) func interrupted(output: String) throws {
    let running = try BuiltCommand.start(
      ["record", "sim:talking?size=640x360&seconds=600", "-o", output], folder: work.folder.path)
    eventually("the recording has begun") { !work.folder.contents.isEmpty }
    running.send(SIGINT)
    let outcome = running.wait()
    #expect(outcome.status == 130, "\(outcome.errors)")
    #expect(work.folder.contents.isEmpty)
  }
}
