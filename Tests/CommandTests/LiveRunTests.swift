import BackdropImaging
import BackdropLive
import BackdropVideo
import Foundation
import TestSupport
import Testing

/// `backdrop live` and `backdrop ctl` as processes, with the simulated camera and its depth.
@Suite struct LiveRunTests {
  private static let live = "live --no-config sim: --matte depth --socket s --size 320x180"

  @Test(arguments: [
    ("--size 3x3 -o null", "a size of 3×3 is out of range"), ("--size wide -o null", "'wide' is not a size"),
    ("--fps 0 -o null", "--fps 0 is out of range: 1…240"), ("-o nonsense", "there is no output 'nonsense'"),
    ("--background none -o null", "needs a background"), ("--background nowhere.png -o null", "no such background"),
    ("--look none -o null", "no look"),
    ("--radius 900 -o null", "radius 900 is out of range"), ("-o null --radius", "Missing value for '--radius"),
    ("--radius wide -o null", "--radius 'wide' is not a number"), ("--glow 1 -o null", "there is no flag --glow"),
    ("sim: -o null", "you named 2 cameras"),
    ("--matte magic -o null", "--matte cannot be 'magic'"), ("--turn 7 -o null", "turn 7 is out of range"),
    ("--fit wide -o null", "--fit cannot be 'wide'"), ("--refine 3 -o null", "refine 3 is out of range"),
    ("--standby nowhere.png -o null", "nowhere.png"),
    ("--background-folder nowhere -o null", "cannot read the folder of backgrounds"),
    ("--seconds -1 -o null", "a session cannot last"),
    ("--save-recording a.mkv -o null", "--save-recording works only beside a video file"),
    ("-o a.mp4 -o b.mp4", "writes one video file"), ("-o a.gif", "Backdrop saves a live recording as a video"),
    ("-o a.png", "Backdrop saves a live recording as a video"),
    ("-o /dev/video77", "/dev/video77"), ("--config nowhere.json -o null", "no such file"),
    ("--filter magic -o null", "magic"), ("--max-cpu 0 -o null", "max-cpu 0 is out of range"),
  ]) func refuses(flags: String, says: String) throws {
    try Workplace().refuse(Self.live + " --seconds 1 " + flags, says: says)
  }

  @Test(arguments: [
    ("sim:nowhere", "no simulated scene"), ("sim:talking?size=3", "not a value for 'size'"),
    ("nowhere.mp4", "no such file"), ("-", "cannot be a pipe"),
  ]) func refusesWhatIsNoCamera(camera: String, says: String) throws {
    try Workplace().refuse("live --no-config \(camera) --socket s --seconds 1 -o null", says: says)
    try Workplace().refuse("studio --no-open --camera \(camera)", says: says)
  }

  @Test func recordsAndReplacesNothing() throws {
    let work = Workplace()
    try work.succeed(Self.live + " -o talk.mp4 --save-recording talk.mkv --seconds 3")
    let reader = try VideoReader(path: work.folder.path + "/talk.mp4")
    var frames = 0
    while try reader.next() != nil { frames += 1 }
    #expect(frames > 10)
    try work.refuse(Self.live + " -o talk.mp4 --seconds 1", says: "exists")
    try work.succeed("depth stats talk.mkv")
  }

  @Test func aPipeGetsFrames() throws {
    let outcome = try Workplace().run(Self.live + " -o - --seconds 2 -q")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.starts(with: Array("YUV4MPEG2 W320 H180".utf8)))
    #expect(outcome.output.count > 320 * 180 * 3 / 2 * 5)
  }

  /// A session sends errors over the socket without flags; `ctl` adds them.
  @Test func ctlNamesFlags() throws {
    let work = Workplace()
    let path = work.folder.file("s")
    let socket = try ControlSocket.open(path) { (command) throws(BackdropError) in
      let hint = Hint("addSweep", "sweep blur", ["parameter": "blur"])
      guard command == .status else { throw BackdropError(.wrongArgument, "not now", hint: hint) }
      var status = LiveStatus()
      status.hint = hint
      return status
    }
    defer { socket.close() }
    let refused = try work.run("ctl mirror on --socket s")
    #expect(refused.status == 2)
    #expect(refused.errors == "error: not now\nhint: add --sweep blur=FROM…TO:60, or name the output .jpg\n")
    let status = try work.succeed("ctl status --json --socket s")
    let fields = try JSONSerialization.jsonObject(with: status.output) as? [String: Any]
    #expect(fields?["hint"] as? String == "add --sweep blur=FROM…TO:60, or name the output .jpg")
  }

  @Test func aSocketReplacesNoFile() throws {
    let work = Workplace()
    try work.write(Data("mine".utf8), "s")
    try work.refuse(Self.live + " --seconds 1 -o null", says: "is not a socket")
  }

  @Test func settingsAreKept() throws {
    let work = Workplace()
    try work.succeed("live --config a.json --mirror --radius 3 --fps 24 sim:mug --save-config -o null")
    let text = try String(contentsOfFile: work.folder.path + "/a.json", encoding: .utf8)
    #expect(text.contains("\"camera\" : \"sim:mug\"") && text.contains("\"fps\" : 24"))
    let status = try work.json("live --config a.json --matte depth --size 320x180 --socket s --seconds 2")
    #expect(status["isMirrored"] as? Bool == true)
    #expect(status["showing"] as? String == "scene")
  }

  @Test func ctlSteers() throws {
    let work = Workplace()
    try work.refuse("ctl --socket s status", says: "no live session is running")
    try work.refuse("ctl --socket s dance", says: "there is no command 'dance'")
    let running = try work.start(Self.live + " -o null -q")
    try eventually("the session shows the scene") { try work.status()?["showing"] as? String == "scene" }
    try work.refuse(Self.live + " -o null", says: "another live session is running")
    try work.succeed("ctl --socket s background scene:dunes")
    #expect(try work.status()?["background"] as? String == "scene:dunes")
    try work.refuse("ctl --socket s background nowhere.png", says: "no such background")
    try work.refuse("ctl --socket s camera nowhere.mp4", says: "no such file")
    try work.refuse("ctl --socket s set radius 900", says: "out of range")
    try work.succeed("ctl --socket s snapshot shot.heic")
    try work.succeed("photo inspect shot.heic")
    try work.succeed("ctl --socket s standby on")
    #expect(try work.status()?["isOnStandby"] as? Bool == true)
    try work.succeed("ctl --socket s quit")
    let outcome = running.wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: work.folder.path + "/s"))
  }
}
