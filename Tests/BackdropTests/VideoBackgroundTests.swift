import Backdrop
import BackdropImaging
import BackdropVideo
import BackdropLooks
import Foundation
import TestSupport
import Testing

/// Videos as backgrounds, created by ffmpeg: the frame at each time, and its position in the picture.
@Suite struct VideoBackgroundTests {
  let folder = TemporaryFolder()

  func make(_ arguments: String, _ name: String) throws -> String {
    try MediaTool.make(arguments, folder.file(name))
    return folder.file(name)
  }

  /// A clip of grey frames: level `16 + 20 i` for frame `i`.
  func steps(_ name: String, frames: Int, rate: Int, _ options: String = "-c:v libx264 -crf 1") throws -> String {
    try make(
      "-f lavfi -i color=black:s=32x24:r=\(rate):d=\(Double(frames) / Double(rate)) "
        + "-vf format=yuv420p,geq=lum='16+20*N':cb=128:cr=128 \(options)", name)
  }

  /// Returns the number of the step at a time; the source returns pictures only when they change.
  struct Player {
    let background: BackgroundSource
    var shown: Image

    init(_ path: String) throws {
      background = try BackgroundSource(.file(path), width: 32, height: 24)
      guard case .picture(let first) = background.initial else { throw BackdropError(.badData, "no picture") }
      shown = first
    }

    mutating func step(at seconds: Double) throws -> Int {
      if case .picture(let image) = try background.background(at: seconds) { shown = image }
      return (Int(shown.row(12)[16]) - 16 + 10) / 20
    }
  }

  @Test(arguments: ["loop.mp4", "loop.mkv", "loop.webm"]) func playsAtItsOwnRateAndLoops(name: String) throws {
    let path = try steps(name, frames: 5, rate: 10, name.hasSuffix("webm") ? "-c:v libvpx-vp9 -crf 4 -b:v 0" : "-crf 1")
    // At 25 frames a second, each is shown for a tenth of a second, and five of them last half a second.
    var player = try Player(path)
    for frame in 0..<50 {
      let seconds = Double(frame) / 25 + 0.01
      #expect(try player.step(at: seconds) == Int(seconds * 10) % 5, "at \(seconds)")
    }
    // At three frames a second, the player skips most of them.
    player = try Player(path)
    for frame in 0..<12 {
      let seconds = Double(frame) / 3 + 0.01
      #expect(try player.step(at: seconds) == Int(seconds * 10) % 5, "at \(seconds)")
    }
    // Times in any order, also backwards.
    player = try Player(path)
    for seconds in [0.33, 0.12, 1.28, 0.01, 0.91, 0.4] {
      let wanted = seconds + 0.005
      #expect(try player.step(at: wanted) == Int(wanted * 10) % 5, "at \(seconds)")
    }
  }

  /// Frames 0, 1, 2, 3 last 100, 300, 100 and 200 ms.
  @Test(arguments: ["vfr.mp4", "vfr.mkv"]) func variableRate(name: String) throws {
    let times = "if(eq(N,0),0,if(eq(N,1),0.1,if(eq(N,2),0.4,0.5)))/TB"
    let path = try make(
      "-f lavfi -i color=black:s=32x24:r=10:d=0.4 -vf format=yuv420p,geq=lum='16+20*N':cb=128:cr=128,settb=1/1000,"
        + "setpts='\(times)' -fps_mode vfr -enc_time_base 1/1000 -c:v libx264 -crf 1 -bf 0", name)
    var player = try Player(path)
    for (milliseconds, step) in [(50, 0), (150, 1), (350, 1), (450, 2), (520, 3), (590, 3)] {
      #expect(try player.step(at: Double(milliseconds) / 1000) == step, "at \(milliseconds) ms")
    }
  }

  /// A clock that starts a day late finds the right frame of the loop at once.
  @Test func lateClock() throws {
    var player = try Player(try steps("short.mp4", frames: 5, rate: 25))
    // Iterating over 432,000 loops would take minutes.
    for frame in 0..<20 {
      // The length of the clip, 0.2 s, divides a day.
      #expect(try player.step(at: 86_400 + Double(frame) / 25 + 0.01) == frame % 5, "frame \(frame)")
    }
  }

  @Test(arguments: [0.001, 0.04]) func shorterThanAFrame(length: Double) throws {
    let path = try make(
      "-f lavfi -i color=0x808080:s=32x24:r=\(1 / length):d=\(length) -c:v libx264 -pix_fmt yuv420p", "still.mp4")
    let background = try BackgroundSource(.file(path), width: 32, height: 24)
    for frame in 0..<5 { #expect(try background.background(at: Double(frame) / 5) == nil) }
    // A clip of two frames that is shorter than a frame of the other stream must not hang, and shows one of them.
    var player = try Player(try steps("two.mp4", frames: 2, rate: 500))
    for frame in 0..<20 { #expect((0...1).contains(try player.step(at: Double(frame) / 5))) }
  }

  /// A clip with red above blue, stored on its side with a rotation mark, appears upright, centred, and fills the landscape frame.
  @Test func turnedPortraitBehindLandscape() throws {
    let upright = try make(
      "-f lavfi -i color=red:s=96x80:r=10:d=0.3 -f lavfi -i color=blue:s=96x80:r=10:d=0.3 "
        + "-filter_complex vstack,transpose=cclock -c:v libx264 -crf 1 -pix_fmt yuv444p", "lying.mp4")
    // 160×96 as stored; 96×160 as displayed.
    let path = folder.file("turned.mp4")
    try MediaTool.turn(upright, degrees: 270, path)
    let background = try BackgroundSource(.file(path), width: 320, height: 180)
    guard case .picture(let image) = background.initial else {
      Issue.record("\(background.initial)")
      return
    }
    #expect(image.width == 96 && image.height == 160 && image.orientation == .up)
    let compositor = try Compositor(.backdrop, width: 320, height: 180, format: .rgba8, workers: WorkerPool(threads: 1))
    try compositor.setBackground(background.initial)
    var output = Image(.rgba8, width: 320, height: 180)
    var frame = Image(.rgba8, width: 320, height: 180)
    frame.fill(.white)
    try compositor.render(frame, matte: .init(constant: 0, width: 2, height: 2), into: &output)
    for x in [0, 160, 319] {
      let (above, below) = (output.row(70), output.row(110))
      #expect(above[4 * x] > 240 && above[4 * x + 2] < 15, "above, \(x)")
      #expect(below[4 * x] < 15 && below[4 * x + 2] > 240, "below, \(x)")
    }
  }

  /// The result does not contain the sound of a background.
  @Test func soundOfTheBackgroundStaysAway() throws {
    let background = try make(
      "-f lavfi -i color=green:s=32x24:r=10 -f lavfi -i sine -t 0.5 -c:v libx264 -pix_fmt yuv420p -c:a aac", "back.mp4")
    var plan = Job.Plan()
    plan.background = .file(background)
    plan.output = try OutputTarget(folder.file("out.mp4"))
    _ = try Job(try SceneInput.open("sim:?size=64x48&seconds=0.3"), plan).run()
    let reader = try VideoReader(path: folder.file("out.mp4"))
    #expect(reader.audioStreamCount == 0)
  }

  @Test func brokenVideos() throws {
    let whole = try steps("whole.mp4", frames: 5, rate: 10)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
    for count in [0, 40, bytes.count / 3] {
      try bytes.prefix(count).write(to: URL(fileURLWithPath: folder.file("cut.mp4")))
      #expect(throws: BackdropError.self) { try BackgroundSource(.file(folder.file("cut.mp4")), width: 32, height: 24) }
    }
  }
}
