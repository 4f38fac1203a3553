import Foundation
import TestSupport
import Testing

/// Ctrl-C half-way: status 130, and no new file remains.
@Suite struct InterruptionTests {
  let work = Workplace()

  @Test(arguments: [
    "replace sim:?seconds=600&size=320x180 -o out.mp4",
    "replace sim:?seconds=600&size=320x180 -o out/%05d.png",
    "replace sim:?seconds=600&size=320x180 -o new/",
    "replace sim:?seconds=600&size=320x180 -o out.mkv --codec ffv1 --save-matte matte.mp4",
    "replace sim:?seconds=600&size=320x180 -o out.webm --save-matte out/%05d.png",
    "matte sim:?seconds=600&size=320x180 -o out.mp4",
  ])
  func halfWay(line: String) throws {
    try work.makeFolder("out")
    let before = try work.snapshot()
    let running = try work.start(line)
    // The job is half-way when its output exists under another name.
    try eventually("there is something to clean up") {
      try FileManager.default.subpathsOfDirectory(atPath: work.folder.path).contains { $0.contains("partial") }
    }
    running.send(SIGINT)
    let outcome = running.wait()
    #expect(outcome.status == 130)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors == "interrupted; Backdrop wrote nothing\n")
    #expect(try work.snapshot() == before)
  }

  /// With `--force`, an interruption keeps the old file.
  @Test func replacement() throws {
    try work.write("precious".utf8, "out.mp4")
    let running = try work.start("replace sim:?seconds=600&size=320x180 -o out.mp4 --force")
    eventually("it began") { work.folder.contents.count == 2 }
    running.send(SIGTERM)
    #expect(running.wait().status == 143)
    #expect(try work.snapshot() == ["out.mp4": Data("precious".utf8)])
  }

  /// Ctrl-C ends the command even if its input stream never arrives or stops in the middle.
  @Test(arguments: ["", "YUV4", "YUV4MPEG2 W64 H48 F30:1\nFRAME\nabc", "BM of a picture"]) func stalledStream(
    text: String
  ) throws {
    try work.depthFolder("depth", 2, 64, 48)
    let before = try work.snapshot()
    let running = try Program(
      BuiltCommand.path, Workplace.words("replace - --depth depth -o out.mp4"), input: Data(text.utf8),
      keepsInputOpen: true, folder: work.folder.path)
    defer { running.closeInput() }
    try eventually("it catches signals") {
      // The mask of caught signals in hexadecimal, see proc(5).
      let status = try String(contentsOfFile: "/proc/\(running.identifier)/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
      let mask = line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) }
      return mask.map { $0 >> UInt64(SIGINT - 1) & 1 == 1 } ?? false
    }
    // Time for the command to begin waiting for the stream.
    usleep(200_000)
    #expect(running.isRunning)
    running.send(SIGINT)
    #expect(running.wait().status == 130)
    #expect(try work.snapshot() == before)
  }
}
