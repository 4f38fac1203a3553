import BackdropDepth
import BackdropImaging
import BackdropPhotos
import Foundation
import TestSupport
import Testing

/// `backdrop depth …` and `backdrop pointcloud`.
@Suite struct DepthCommandTests {
  let work = Workplace()

  /// A picture and its depth: 0.8 m at the left, 2 m at the right.
  private func pair() throws {
    try work.picture("p.png")
    try work.depth("d.png", 64, 48, 800, right: 2000)
    try work.depth("holes.png", 64, 48, 0)
  }

  @Test func coloursArePlain() throws {
    try pair()
    try work.succeed("depth colorize d.png -o c.png --range 0.8…1.9")
    #expect(try work.color("c.png", x: 3, y: 3) == [255, 0, 0])
    #expect(try work.color("c.png", x: 60, y: 40) == [0, 0, 255])
    try work.succeed("depth colorize d.png -o half.png --range 0.9..2 --depth-scale 2000")
    #expect(try work.color("half.png", x: 60, y: 40) == [255, 92, 0])
    try work.succeed("depth colorize p.png --depth d.png -o over.png --overlay 0.5 --range 0.8...1.9 --legend")
    #expect(try work.color("over.png", x: 60, y: 40) == [128, 0, 128])
    #expect(try work.image("over.png").height > 60)
    let root = try work.json("depth colorize sim:talking?seconds=0.2&size=320x180 -o c/ --palette turbo --equalize")
    #expect(root["frames"] as? Int == 6)
    #expect(try work.image("c/00006.png").width > 0)
  }

  @Test func distancesAreTold() throws {
    try pair()
    let near = try work.succeed("depth at d.png 3,3")
    #expect(near.text == "0.800 m ± 0.9 mm\n")
    let root = try work.json("depth at d.png 60,3 --fov 60 --baseline 0.05 --subpixel 0.1")
    // z² σ / (f b), f = 32 / tan 30°.
    let focal = 32 / 0.57735027
    let expected = try #require(root["expectedErrorMetres"] as? Double)
    #expect(abs(expected - 4 * 0.1 / focal / 0.05) < 1e-6)
    var plane = Plane<UInt16>(repeating: 0, width: 16, height: 8)
    plane[10, 4] = 1500
    try work.save(DepthMap(units: plane, unitsPerMetre: 1000).image(unitsPerMetre: 1000), "one.png")
    // A photo's depth is relative unless stated otherwise, so the command reports no error in millimetres.
    try work.succeed("photo embed p.png --depth d.png --as disparity -o relative.jpg")
    let relative = try work.succeed("depth at relative.jpg 3,3")
    #expect(relative.text == "about 1.25 m\n")
    #expect(relative.errors.contains("not true metres"))
    let hole = try work.run("depth at one.png 2,2")
    #expect(hole.status == 1)
    #expect(hole.text == "a hole; the nearest value is 1.5 m at 10,4\n")
  }

  /// From 0.4 m to 650 m, an eightieth more with each column: the bands of the noise table get wider, so that it fits a page.
  @Test func farDepthHasFewBands() throws {
    let plane = Plane<UInt16>(width: 600, height: 84) { x, _ in UInt16(40 * exp(Double(x) / 81)) }
    try work.save(DepthMap(units: plane, unitsPerMetre: 100).image(unitsPerMetre: 100), "far.png")
    let outcome = try work.succeed("depth stats far.png --depth-scale 100")
    let lines = outcome.text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("  0.5–1 m ") } && lines.contains { $0.hasPrefix("  200–500 m ") })
    #expect(lines.filter { $0.hasPrefix("  ") }.count <= 14 && lines.count <= 27, "\(lines)")
  }

  @Test func countsAndNumbersArePrinted() throws {
    try pair()
    let root = try work.json("depth histogram d.png -o h.png --bins 4 --range 0…4")
    #expect(root["counts"] as? [Int] == [1536, 0, 1536, 0])
    #expect(try work.image("h.png").width == 1120)
    let report = try work.json("depth stats d.png --fov 60")
    #expect(report["holeFraction"] as? Double == 0 && report["width"] as? Int == 64)
    let text = try work.text("depth stats d.png")
    #expect(text.contains("range        0.8 m to 2.0 m"))
    // Flat except for an edge. Next to it 2 of 64 columns each have ¼ (which a bend reduces to 0), ½ and ¾.
    let confidence = try #require(report["confidence"] as? Double)
    #expect(abs(confidence - (58 + 1.5 + 1) / 64) < 0.003 && report["isConfidenceMeasured"] as? Bool == false)
    #expect(text.contains("confidence   94.5% (estimated)"), "\(text)")
    let filled = try work.text("depth stats d.png --filter guided")
    #expect(filled.contains("confidence   94.5% (estimated)"), "\(filled)")
  }

  /// 10 columns of 0, 10 of 65535, 44 of 1.5 m, as 16-bit PNG and TIFF, in a folder and as a recording; and floats with every kind of
  /// invalid distance.
  @Test func invalidDepthIsHoles() throws {
    var plain = Image(.gray16, width: 64, height: 48)
    for y in 0..<48 {
      var row = plain.mutableRow(y)
      for x in 0..<64 {
        let units: UInt16 = x < 10 ? 0 : x < 20 ? .max : 1500
        withUnsafeBytes(of: units) { (row[2 * x], row[2 * x + 1]) = ($0[0], $0[1]) }
      }
    }
    try work.save(plain, "d.png")
    try work.save(plain, "r/depth/1.png")
    try work.picture("r/rgb/1.png")
    try work.picture("p.png")
    try MediaTool.make("-i \(work.path("d.png")) -compression_algo raw", work.path("d.tiff"))
    try work.succeed("convert-recording r r.mkv -q")
    for input in ["d.png", "d.tiff", "r", "p.png --depth d.png", "r.mkv"] {
      let report = try report(input)
      let isCopy = input == "r.mkv"
      // Recordings store holes as 0.
      #expect(report.holes == (isCopy ? ["zero": 960] : ["zero": 480, "fullScale": 480]), "\(input)")
      #expect(abs(report.maximum - 1.5) < 1e-6, "\(input)")
    }
    let text = try work.text("depth stats d.png")
    #expect(text.contains("holes        31.3% (0: 480, 65535: 480)\n"), "\(text)")
    for input in ["d.png", "r", "p.png --depth d.png"] {
      let root = try work.json("pointcloud \(input) --fov 60 --keep-edges -o c.ply --force")
      #expect(root["points"] as? Int == 44 * 48, "\(input)")
    }
    // The matte keeps only areas nearer than the cutoff: neither 65535 units nor zeros.
    try work.succeed(
      "replace p.png --depth d.png --depth-scale 4000 --cutoff 20 --matte depth --background #00ff00 -o o.png -q")
    let (left, right) = (try work.color("o.png", x: 2, y: 24), try work.color("o.png", x: 60, y: 24))
    // The matte's edge is soft, five samples of depth wide.
    #expect(left[0] < 10 && left[1] > 245 && right[0] > 245 && right[1] < 10, "\(left) \(right)")
    var floats = Plane<Float>(repeating: 2, width: 64, height: 48)
    for (x, value) in [Float.nan, .infinity, -.infinity, -1, 0, -0.0].enumerated() { floats[x, 0] = value }
    try work.write(PFM.encode(floats), "f.pfm")
    try work.write(FloatTIFF.encode(floats, description: "depth"), "f.tiff")
    for input in ["f.pfm", "f.tiff"] {
      #expect(try report(input).holes == ["notANumber": 1, "infinite": 2, "negative": 1, "zero": 2], "\(input)")
    }
  }

  private func report(_ input: String) throws -> (holes: [String: Int], maximum: Double) {
    let root: [String: Any]? = try work.json("depth stats \(input)")
    let metres = root?["metres"] as? [String: Any]
    return (
      try #require(root?["holes"] as? [String: Int], "\(input)"), try #require(metres?["maximum"] as? Double)
    )
  }

  @Test func cloudsAreWritten() throws {
    try pair()
    for kind in ["ply", "pcd", "xyz", "glb"] {
      let root = try work.json("pointcloud p.png --depth d.png --fov 60 -o cloud.\(kind)")
      #expect(root["points"] as? Int == 64 * 48)
      #expect(try !work.data("cloud.\(kind)").isEmpty)
    }
    try work.succeed(
      "pointcloud d.png --intrinsics 50,50,32,24 -o m.glb --mesh --render m.png --size 160x120 --view 20,10")
    #expect(try work.image("m.png").width == 160)
    let root = try work.json(
      "pointcloud sim:talking?seconds=0.1&size=320x180 -o all/%03d.ply --render all.mp4 --size 160x90")
    #expect(root["clouds"] as? Int == 3 && root["pictures"] as? Int == 3)
    #expect(try !work.data("all/003.ply").isEmpty)
    try work.succeed("pointcloud d.png --fov 60 --render round.mp4 --seconds 0.2 --size 64x48")
    #expect(try MediaTool.video(work.path("round.mp4"))["nb_read_frames"] == "6")
  }

  @Test(arguments: [
    ("pointcloud d.png -o a.ply", "no camera intrinsics"),
    ("pointcloud d.png -o a.ply --intrinsics 0,50,32,24", "fit no camera"),
    ("pointcloud d.png -o a.ply --intrinsics 50,50,32", "is not a set of intrinsics"),
    ("pointcloud d.png -o a.ply --fov 180", "out of range"),
    ("pointcloud d.png -o a.ply --fov 60 --intrinsics 50,50,32,24", "both"),
    ("pointcloud holes.png -o a.ply --fov 60", "only holes"),
    ("pointcloud d.png --fov 60", "--output is missing"),
    ("pointcloud d.png -o a.obj --fov 60", "does not write point clouds"),
    ("pointcloud d.png -o a.ply --fov 60 --mesh", ".glb only"),
    ("pointcloud d.png --render a.png --fov 60 --size 9x9", "is not a size"),
    ("pointcloud d.png --render a.png --fov 60 --view 1,2,3,4,5", "is not a view"),
    ("pointcloud d.png --render a.mp4 --fov 60 --seconds 1e9", "out of range"),
    ("pointcloud p.png -o a.ply --fov 60", "has no depth"),
    ("pointcloud d.png -o a.ply --fov 60 --align-to depth", "Backdrop aligns recordings"),
    ("pointcloud d.png -o a.ply --align none.json", "no such file"),
    ("depth colorize holes.png -o a.png", "only holes"),
    ("depth colorize d.png -o a.png --range 3…1", "is not a range"),
    ("depth colorize d.png -o a.png --palette pink", "there is no palette"),
    ("depth colorize d.png -o a.png --overlay 0.5", "needs a picture"),
    ("depth colorize p.png --depth d.png -o a.png --overlay 2", "out of range"),
    ("depth at d.png 64,0", "is outside the picture"),
    ("depth at d.png 5", "is not the position of a pixel"),
    ("depth at holes.png 5,5", "only holes"),
    ("depth at d.png 5,5 --frame 2", "the input has no frame 2"),
    ("depth at d.png 5,5 --baseline 0.05", "needs the camera's intrinsics"),
    ("depth histogram holes.png -o a.png", "only holes"),
    ("depth histogram d.png --bins 0", "bins are out of range"),
    ("depth stats p.png", "has no depth"),
    ("depth stats none.png", "no such file"),
  ])
  func saysWhatIsWrong(line: String, says: String) throws {
    try pair()
    try work.refuse(line, says: says)
  }

  @Test func nothingIsOverwritten() throws {
    try pair()
    try work.refuse("depth colorize d.png -o p.png", says: "the output already exists", path: "p.png")
    try work.refuse("pointcloud d.png --fov 60 --render p.png", says: "the output already exists", path: "p.png")
    try work.write([1, 2, 3], "c.ply")
    try work.refuse("pointcloud d.png --fov 60 -o c.ply", says: "the output already exists", path: "c.ply")
    try work.succeed("pointcloud d.png --fov 60 -o c.ply --force")
  }
}
