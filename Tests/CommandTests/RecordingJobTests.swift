import BackdropDepth
import BackdropImaging
import BackdropRecordings
import BackdropSimulation
import Foundation
import TestSupport
import Testing

/// Recordings and videos with depth: results have every frame at its time, with the sound, and never show the real background.
@Suite struct RecordingJobTests {
  let work = Workplace()

  /// The output of `--json`.
  struct Summary: Decodable {
    var frames: Int
    var standby: FaultTally<FrameFault>
    var skipped: FaultTally<FrameFault>
    var cutoffMetres: Double?
  }

  func summary(_ line: String) throws -> (Summary, errors: String) {
    let outcome = try work.succeed(line + " --json")
    return (try JSONDecoder().decode(Summary.self, from: outcome.output), outcome.errors)
  }

  /// A recording of the simulated camera gives the same result as the camera itself.
  @Test func recordedCamera() throws {
    let camera = try SimulatedCamera(address: "sim:talking?size=160x90&seconds=0.4")
    let writer = try RecordingWriter(work.path("recording"), overwrite: false)
    for index in 0..<camera.frameCount { try writer.write(camera.frame(index).frame) }
    try writer.commit()
    let (found, _) = try summary("replace recording -o out.mp4 --save-matte recorded.png --no-face --cutoff 1.2")
    #expect(found.frames == 12 && found.standby.isEmpty && found.skipped.isEmpty)
    #expect(found.cutoffMetres == 1.2)
    #expect(try MediaTool.video(work.path("out.mp4"))["nb_read_frames"] == "12")
    try work.succeed(
      "matte sim:talking?size=160x90&seconds=0.4 -o direct.png --no-face --cutoff 1.2")
    // The recording stores depth in fifths of a millimetre.
    let root = try work.json("evaluate recorded.png direct.png")
    let mean = try #require(root["mean"] as? [String: Any])
    #expect(try #require(mean["mad"] as? Double) < 0.002)
  }

  /// Creates a recording of a red room whose right half is far away; `spoil` damages the depth of the sixth frame.
  func recording(_ spoil: (String) throws -> Void) throws {
    for index in 1...8 {
      try work.picture("recording/rgb/\(index).png", 64, 48)
      try work.depth("recording/depth/\(index).png", 64, 48, 500, right: 3000)
    }
    try spoil("recording/depth/6.png")
  }

  enum Damage: String, CaseIterable { case missing, halfWritten, empty, holes, words, otherAspect, colour }

  /// A frame without usable depth is left out or shows only the background; the command reports both by number.
  @Test(arguments: Damage.allCases, ["#00ff00", "blur", "black"])
  func neverTheRealBackground(damage: Damage, background: String) throws {
    try recording { name in
      switch damage {
      case .missing: try FileManager.default.removeItem(atPath: work.path(name))
      case .halfWritten: try work.write(try work.data(name).prefix(60), name)
      case .empty: try work.write([], name)
      case .holes: try work.depth(name, 64, 48, 0)
      case .words: try work.write("no depth here".utf8, name)
      case .otherAspect: try work.depth(name, 48, 48, 500)
      case .colour: try work.picture(name, 64, 48)
      }
    }
    let choice = background == "black" ? "" : "--background \(background)"
    let (found, errors) = try summary("replace recording -o out/%d.png \(choice)")
    let written = try work.names("out").count
    #expect(written == found.frames)
    #expect(found.standby.count + found.skipped.count == 1 && found.frames + found.skipped.count == 8)
    #expect((found.standby + found.skipped).first.first?.frame == 6)
    #expect((found.standby + found.skipped).first.first?.reason.isEmpty == false)
    #expect(errors.contains("warning: frame 6 "), "\(errors)")
    for index in 1...written {
      let (left, right) = (
        try work.color("out/\(index).png", x: 4, y: 24), try work.color("out/\(index).png", x: 60, y: 24)
      )
      if found.standby.first.first?.frame == index {
        #expect(left == right && left[0] < 60, "frame \(index): \(left) \(right)")
      } else {
        #expect(left == [255, 0, 0], "frame \(index): \(left)")
        if background != "blur" { #expect(right[0] == 0, "frame \(index): \(right)") }
      }
    }
  }

  /// For a video with a depth folder, no frame is lost, and the frame with damaged depth shows only the background.
  @Test(arguments: [Damage.halfWritten, .empty, .holes, .words, .otherAspect, .colour])
  func neverTheRealBackgroundInVideos(damage: Damage) throws {
    try MediaTool.make("-f lavfi -i color=red:s=64x48:r=25 -frames:v 8 -c:v libx264", work.path("v.mp4"))
    try work.depthFolder("depth", 8, 64, 48, 500, right: 3000)
    switch damage {
    case .halfWritten: try work.write(try work.data("depth/006.png").prefix(60), "depth/006.png")
    case .empty: try work.write([], "depth/006.png")
    case .holes: try work.depth("depth/006.png", 64, 48, 0)
    case .words: try work.write("no depth here".utf8, "depth/006.png")
    case .otherAspect: try work.depth("depth/006.png", 48, 48, 500)
    case .colour: try work.picture("depth/006.png", 64, 48)
    case .missing: break
    }
    let (found, errors) = try summary("replace v.mp4 --matte depth --depth depth -o out/%d.png --background #0000ff")
    #expect(found.frames == 8 && found.standby.first.map(\.frame) == [6] && found.skipped.isEmpty)
    #expect(errors.contains("warning: frame 6 shows the standby frame: "), "\(errors)")
    for index in 1...8 {
      let (left, right) = (
        try work.color("out/\(index).png", x: 4, y: 24), try work.color("out/\(index).png", x: 60, y: 24)
      )
      #expect(right[2] > 240 && right[0] < 16, "frame \(index): \(right)")
      #expect(index == 6 ? left == right : left[0] > 240 && left[2] < 16, "frame \(index): \(left)")
    }
  }

  /// If depth ends before the video, the rest shows only the background.
  @Test func depthThatEnds() throws {
    try work.clip("v.mp4")
    try work.depthFolder("depth", 5, 64, 48, 500)
    let (found, errors) = try summary("replace v.mp4 --matte depth --depth depth -o out.mp4")
    #expect(found.frames == 12 && found.standby.first.map(\.frame) == Array(6...12))
    #expect(
      errors.contains("7 frames show the standby frame, first frame 6: this frame has no depth"),
      "\(errors)")
    #expect(try MediaTool.video(work.path("out.mp4"))["nb_read_frames"] == "12")
  }

  /// Creates a clip of a second with unevenly timed frames and a whistle.
  func talkie(_ name: String) throws {
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -f lavfi -i sine=d=1.3 "
        + "-vf setpts='(N+gt(N,9)*4)/25/TB' -fps_mode vfr -c:v libx264 -bf 2 -pix_fmt yuv420p -c:a aac "
        + "-colorspace bt709 -color_primaries bt709 -color_trc bt709 -metadata title=Whistle",
      work.path(name))
  }

  @Test(arguments: ["out.mp4", "out.mov", "out.mkv"]) func soundAndTimes(name: String) throws {
    try talkie("v.mp4")
    try work.depthFolder("depth", 25, 96, 64, 500, right: 3000)
    let (found, _) = try summary("replace v.mp4 --matte depth --depth depth -o \(name) --save-matte matte.mp4")
    #expect(found.frames == 25 && found.standby.isEmpty)
    let (source, result) = (work.path("v.mp4"), work.path(name))
    let sound = try MediaTool.packetHashes(source, "a")
    #expect(sound.count > 20)
    #expect(try MediaTool.packetHashes(result, "a") == sound)
    let times = try MediaTool.packetTimes(source, "v").sorted { Double($0) ?? 0 < Double($1) ?? 0 }
    let found2 = try MediaTool.packetTimes(result, "v").sorted { Double($0) ?? 0 < Double($1) ?? 0 }
    #expect(found2.count == times.count)
    // Matroska counts in milliseconds.
    for (a, b) in zip(times, found2) { #expect(abs((Double(a) ?? -1) - (Double(b) ?? -2)) <= 0.0005, "\(a) \(b)") }
    #expect(try MediaTool.video(result)["color_space"] == "bt709")
    #expect(try MediaTool.packetHashes(work.path("matte.mp4"), "a").isEmpty)
    #expect(try MediaTool.video(work.path("matte.mp4"))["nb_read_frames"] == "25")
  }

  /// The result of a video stored on its side is upright, and its depth applies to the upright picture.
  @Test func turned() throws {
    // Red above blue when upright; stored rotated by a quarter turn, with the mark for it.
    try MediaTool.make(
      "-f lavfi -i color=red:s=64x48:r=25 -f lavfi -i color=blue:s=64x48:r=25 -filter_complex vstack,transpose=2 "
        + "-frames:v 5 -c:v libx264 -pix_fmt yuv420p", work.path("stored.mp4"))
    try MediaTool.turn(work.path("stored.mp4"), degrees: 270, work.path("turned.mp4"))
    try work.depthFolder("depth", 5, 64, 96, 500, right: 3000)
    try work.succeed("replace turned.mp4 --matte depth --depth depth -o out.png --background #00ff00")
    let image = try work.image("out.png")
    #expect(image.width == 64 && image.height == 96)
    let (top, bottom) = (try work.color("out.png", x: 4, y: 8), try work.color("out.png", x: 4, y: 88))
    let colours = [top[0] > 200 && top[2] < 60, bottom[2] > 200 && bottom[0] < 60]
    #expect(colours == [true, true] || (top[2] > 200 && bottom[0] > 200), "\(top) \(bottom)")
    // ffmpeg determines the upright orientation, from the same mark.
    let upright = try MediaTool.pixels(work.path("turned.mp4"), "rgb24", "-frames:v 1")
    #expect(upright.count == 64 * 96 * 3)
    let reference = (0..<3).map { Int(upright[(8 * 64 + 4) * 3 + $0]) }
    for (a, b) in zip(top, reference) { #expect(abs(a - b) <= 24, "\(top) \(reference)") }
    #expect(try work.color("out.png", x: 60, y: 8)[1] > 200)
    try work.succeed("replace turned.mp4 --matte depth --depth depth -o out.mp4")
    let video = try MediaTool.video(work.path("out.mp4"))
    #expect(video["width"] == "64" && video["height"] == "96" && video["nb_read_frames"] == "5")
  }

  @Test(.enabled(if: TestData.isPresent, "needs BACKDROP_DATA")) func realRecordings() throws {
    let root = TestData.path("rgbd")
    let folders = try FileManager.default.contentsOfDirectory(atPath: root).sorted().map { root + "/" + $0 }
    var tried = 0
    for folder in folders where FileKind(folder) == .folder {
      let outcome = try work.run(["replace", folder, "-o", "out\(tried).png", "--any-aspect", "--json", "-q"])
      // The command refuses folders that are no recordings.
      #expect(
        outcome.status == 0 || (outcome.status == 2 && outcome.errors.contains("hint: ")),
        "\(folder): \(outcome.errors)")
      if outcome.status == 0 { tried += 1 }
    }
    #expect(tried > 0)
  }
}
