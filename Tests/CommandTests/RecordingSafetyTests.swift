import Backdrop
import BackdropImaging
import BackdropVideo
import Foundation
import TestSupport
import Testing

/// If a recording is killed, runs out of disk space, or loses its name, the written part remains and plays.
@Suite struct RecordingSafetyTests {
  let work = Workplace()

  /// A live session with the simulated camera.
  private struct Session {
    let running: Program
    let work: Workplace
    let socket: String

    init(_ work: Workplace, _ flags: String, socket: String = "s") throws {
      (self.work, self.socket) = (work, socket)
      running = try work.start("live --no-config sim: --matte depth --size 320x180 --socket \(socket) " + flags)
    }

    /// Waits for a state of the session, and returns it.
    func wait(_ what: String, _ isThere: ([String: Any]) -> Bool) throws -> [String: Any] {
      var found: [String: Any]?
      try eventually(what) {
        try #require(running.isRunning, "the session ended: \(running.wait().errors)")
        found = try work.status(socket: socket).flatMap { isThere($0) ? $0 : nil }
        return found != nil
      }
      return try #require(found)
    }

    /// Waits until at least `least` seconds are recorded; returns the recorded seconds.
    func recorded(_ least: Double) throws -> Double {
      let status = try wait("\(least) s are recorded") { ($0["recordingSeconds"] as? Double ?? 0) >= least }
      return try #require(status["recordingSeconds"] as? Double)
    }
  }

  /// The time of the last frame that ffmpeg decodes, and the number of frames.
  private func decoded(_ name: String) throws -> (end: Double, frames: Int) {
    let times = try MediaTool.frameTimes(work.path(name)).compactMap { Double($0) }
    return (times.max() ?? 0, times.count)
  }

  /// Fragments are half a second long; the rest of the allowed second is one picture's time and the encoder's queue.
  @Test(arguments: ["mp4", "mkv", "mov", "webm"]) func killedLive(fileExtension: String) throws {
    let session = try Session(work, "-q -o talk.\(fileExtension) --save-recording raw.mkv")
    let wanted = Double.random(in: 0.8...2.5)
    let seconds = try session.recorded(wanted)
    session.running.send(SIGKILL)
    #expect(session.running.wait().status == 128 + SIGKILL)
    for name in ["talk.partial.\(fileExtension)", "raw.partial.mkv"] {
      let (end, frames) = try decoded(name)
      #expect(
        frames > 0 && seconds - end <= 1,
        "\(name): \(frames) frames, to \(end) s of \(seconds) s, killed after \(wanted) s")
    }
    // The files are ordinary videos, and no later start removes them.
    let reader = try VideoReader(path: work.path("talk.partial.\(fileExtension)"))
    #expect(try reader.next() != nil)
    let left = try work.data("talk.partial.\(fileExtension)")
    try work.succeed(
      "live --no-config sim: --matte depth --size 320x180 --socket t --seconds 3 -q -o talk.\(fileExtension)")
    #expect(try work.data("talk.partial.\(fileExtension)") == left)
    #expect(try decoded("talk.\(fileExtension)").frames > 0)
    #expect(!work.folder.contents.contains("talk.partial-2.\(fileExtension)"))
  }

  @Test(arguments: ["walk.mkv", "walk.r3d", "walk"]) func killedRecord(name: String) throws {
    let running = try work.start("record sim:?seconds=600&size=160x90&depth=80x60 -q -o \(name)")
    let partial = name.replacing("walk", with: "walk.partial")
    let (file, enough) = name == "walk" ? ("walk.partial/rgb.txt", 300) : (partial, 400_000)
    eventually("\(enough) bytes in \(file)") {
      FileManager.default.contents(atPath: work.path(file))?.count ?? 0 >= enough
    }
    usleep(UInt32.random(in: 0..<300_000))
    running.send(SIGKILL)
    #expect(running.wait().status == 128 + SIGKILL)
    #expect(work.folder.contents == [partial])
    let outcome = try work.succeed("convert-recording \(partial) saved.mkv --json")
    let root = try outcome.object()
    #expect(root["frames"] as? Int ?? 0 >= 4, "\(outcome.errors)")
    var source = try RGBDInput.open(work.path("saved.mkv"))
    #expect(try source.next()?.depth != nil)
  }

  @Test(.enabled(if: SmallDisk.canMount, "needs the right to mount a small file system"))
  func fullDiskLive() throws {
    var random = SeededRandom(seed: 1)
    let noise = (0..<320 * 180 * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
    try work.write(Array("P6\n320 180\n255\n".utf8) + noise, "noise.ppm")
    try MediaTool.make("-i \(work.path("noise.ppm"))", work.path("noise.png"))
    try SmallDisk.with(kilobytes: 900) { disk in
      let session = try Session(work, "-o null --background noise.png -o \(disk)/talk.mp4")
      let status = try session.wait("the fault is told") { $0["recordingFault"] != nil }
      #expect((status["recordingFault"] as? String)?.contains("No space left on device") == true)
      #expect(status["recording"] == nil && status["showing"] as? String == "scene")
      #expect(status["recorded"] as? String == disk + "/talk.mp4")
      // The session goes on.
      try work.succeed("ctl --socket s record other.mp4")
      _ = try session.recorded(0.5)
      try work.succeed("ctl --socket s quit")
      let outcome = session.running.wait()
      // The session did not fulfil the request of its start.
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("the recording stopped: "), "\(outcome.errors)")
      #expect(outcome.errors.contains("No space left on device"), "\(outcome.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk) == ["talk.mp4"])
      #expect(try MediaTool.output(disk + "/talk.mp4", "-f null", before: "-xerror").isEmpty)
      #expect(try decoded("other.mp4").frames > 0)
    }
  }

  /// If the recording is the only task, the session ends with it.
  @Test(.enabled(if: SmallDisk.canMount, "needs the right to mount a small file system"))
  func fullDiskEndsWhatIsForNothing() throws {
    try SmallDisk.with(kilobytes: 300) { disk in
      let outcome = try work.run(
        "live --no-config sim: --matte depth --size 320x180 --socket s -q -o talk.mp4 --raw \(disk)/raw.mkv")
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("No space left on device"), "\(outcome.errors)")
      #expect(try decoded("talk.mp4").frames > 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk) == ["raw.mkv"])
    }
  }

  @Test(
    .enabled(if: SmallDisk.canMount, "needs the right to mount a small file system"),
    arguments: ["walk.mkv", "walk.r3d", "walk"])
  func fullDiskRecord(name: String) throws {
    try SmallDisk.with(kilobytes: 600) { disk in
      let outcome = try work.run("record sim:?seconds=600&size=160x90&depth=80x60 -q -o \(disk)/\(name)")
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("No space left on device"), "\(outcome.errors)")
      #expect(
        outcome.errors.contains("the recording keeps everything until then: \(disk)/\(name)\nhint: free some space"))
      #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk) == [name])
      let read = try work.succeed("convert-recording \(disk)/\(name) copy-\(name) --json")
      let root = try read.object()
      #expect(root["frames"] as? Int ?? 0 >= 4)
      // One of the two pictures of Matroska's last frame can be missing.
      #expect((root["skipped"] as? [Any])?.count ?? 0 <= (name == "walk.mkv" ? 1 : 0), "\(read.errors)")
      // A failed conversion leaves nothing, because it can be repeated.
      let copy = try work.run("convert-recording copy-\(name) \(disk)/again-\(name)")
      #expect(copy.status == 2 && copy.errors.contains("No space left on device"), "\(copy.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk) == [name])
    }
  }

  /// An archive whose directory does not fit stays under its temporary name, because only Backdrop can read it.
  @Test func limitWithoutRoomForADirectory() throws {
    let source = "'sim:?size=160x90&depth=80x60' --frames 1 -q"
    try work.succeed("record sim:?size=160x90&depth=80x60 --frames 1 -q -o whole.r3d")
    let byteCount = try work.data("whole.r3d").count
    // All these limits are below the size of the whole file.
    let blocks = (byteCount - 1) / 512
    var left = 0
    // The metadata and the directory take one to three blocks.
    for limit in (blocks - 3)...blocks {
      let command = "ulimit -f \(limit); exec '\(BuiltCommand.path)' record \(source) -o \(limit).r3d"
      let outcome = try Program(
        "/bin/sh", ["-c", command], folder: work.folder.path, environment: ["NO_COLOR": "1"]
      ).wait()
      #expect(outcome.status == 2 && outcome.errors.contains("File too large"), "\(outcome.errors)")
      #expect(!work.folder.contents.contains("\(limit).r3d"))
      guard work.folder.contents.contains("\(limit).partial.r3d") else { continue }
      left += 1
      #expect(outcome.errors.contains("the recording keeps everything until then: \(limit).partial.r3d\nhint: free"))
      try work.succeed("convert-recording \(limit).partial.r3d \(limit).mkv")
    }
    #expect(left > 0)
  }

  @Test func twoSessions() throws {
    let first = try Session(work, "-q -o talk.mp4 --save-recording walk")
    _ = try first.recorded(0.5)
    for flags in ["-o talk.mp4", "-o other.mp4 --save-recording walk"] {
      let second = try work.run(
        "live --no-config sim: --matte depth --size 320x180 --socket t --seconds 1 -q \(flags)")
      #expect(second.status == 2)
      #expect(second.errors.hasPrefix("error: another recording is writing to this place: "), "\(second.errors)")
    }
    let record = try work.run("record sim:?seconds=1&size=64x48 -o walk")
    #expect(record.status == 2 && record.errors.contains("another recording"), "\(record.errors)")
    try work.succeed("ctl --socket s quit")
    #expect(first.running.wait().status == 0)
    #expect(work.folder.contents == ["talk.mp4", "walk"])
  }

  /// Another file or folder takes the output's name before the end.
  @Test func takenNames() throws {
    let session = try Session(work, "-o talk.mp4 --save-recording walk")
    _ = try session.recorded(0.5)
    try work.write("mine".utf8, "talk.mp4")
    try work.write("mine".utf8, "walk/a")
    try work.succeed("ctl --socket s quit")
    let outcome = session.running.wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.errors.contains(
        "recorded: talk-2.mp4, walk-2; other programs took the names talk.mp4 and walk in the meantime"),
      "\(outcome.errors)")
    #expect(try work.data("talk.mp4") == Data("mine".utf8) && work.data("walk/a") == Data("mine".utf8))
    #expect(try decoded("talk-2.mp4").frames > 0)
    try work.succeed("convert-recording walk-2 saved.mkv")
    #expect(work.folder.contents == ["saved.mkv", "talk-2.mp4", "talk.mp4", "walk", "walk-2"])
  }
}
