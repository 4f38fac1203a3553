import BackdropImaging
import Foundation
import TestSupport
import Testing

/// The command keeps existing files, leaves no unfinished output, and ends quietly if a pipe closes.
@Suite struct OutputSafetyTests {
  let work = Workplace()
  static let short = "sim:?size=64x48&seconds=0.2"

  @Test(arguments: ["out.png", "out.jpg", "out.mp4", "out.mkv", "out.webm"])
  func existingFilesAreKept(name: String) throws {
    try work.write("precious".utf8, name)
    try work.refuse("replace \(Self.short) -o \(name)", says: "the output already exists", path: name)
    try work.refuse(
      "replace \(Self.short) -o new.png --save-matte \(name)", says: "the output already exists", path: name)
    try work.refuse("matte \(Self.short) -o \(name)", says: "the output already exists", path: name)
    try work.succeed("replace \(Self.short) -o \(name) --force")
    #expect(try work.data(name) != Data("precious".utf8))
    #expect(work.folder.contents == [name])
  }

  @Test func existingSeriesAreKept() throws {
    try work.write("precious".utf8, "out/00004.png")
    for name in ["out", "out/", "out/%05d.png"] {
      try work.refuse("replace \(Self.short) -o \(name)", says: "the output already exists", path: "out/00004.png")
    }
    try work.succeed("replace \(Self.short) -o out/%05d.png --force")
    #expect(try work.names("out").count == 6)
  }

  /// Exceeding a limit on the size of files (`ulimit -f`, in blocks of 512 bytes) is an error, and nothing is left.
  @Test(arguments: ["out.png", "out.mp4", "new/"]) func filesHaveALimit(name: String) throws {
    let command = "ulimit -f 2; exec '\(BuiltCommand.path)' replace 'sim:?size=320x180&seconds=0.2' -o \(name)"
    let outcome = try Program(
      "/bin/sh", ["-c", command], folder: work.folder.path, environment: ["NO_COLOR": "1"]
    ).wait()
    #expect(outcome.status == 2 && outcome.errors.contains("File too large"), "\(outcome.errors)")
    #expect(outcome.errors.contains("choose another place") && work.folder.contents.isEmpty, "\(outcome.errors)")
  }

  /// A failure does not change the old file, even with `--force`.
  @Test func failedReplacement() throws {
    try work.write("precious".utf8, "out.mp4")
    try work.depthFolder("holes", 3, 64, 48, 0)
    let stream = Data("YUV4MPEG2 W64 H48 F30:1\nFRAME\n".utf8) + Data(repeating: 9, count: 64 * 48 * 3 / 2)
    try work.refuse("replace - --depth holes -o out.mp4 --force", says: "only holes", input: stream)
  }

  @Test(arguments: [
    ("none/out.mp4", "the output folder does not exist", "none"),
    ("none/out.png", "the output folder does not exist", "none"),
    ("none/deep/%05d.png", "the output folder does not exist", "none"), ("file/out.mp4", "is a file", "file"),
    ("file/out.png", "is a file", "file"), ("file/%05d.png", "is a file", "file"),
    ("folder.mp4/x/y.mp4", "folder", "folder.mp4/x"),
    ("pipe.mp4", "a device or a pipe", "pipe.mp4"),
  ])
  func unusablePaths(output: String, says: String, path: String) throws {
    try work.write("precious".utf8, "file")
    try work.makeFolder("folder.mp4")
    mkfifo(work.path("pipe.mp4"), 0o600)
    // Reading a pipe would wait for a writer, so the test does not read it.
    let line = "replace \(Self.short) -o \(output)"
    let outcome = try work.run(line)
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("error: ") && outcome.errors.contains(says), "\(outcome.errors)")
    #expect(outcome.errors.contains(": \(path)\nhint: "), "\(outcome.errors)")
    #expect(work.folder.contents == ["file", "folder.mp4", "pipe.mp4"])
    #expect(try work.names("folder.mp4").isEmpty)
  }

  /// A folder as output means numbered pictures, whatever its name.
  @Test func folderOfAnyName() throws {
    try work.makeFolder("folder.mp4")
    try work.succeed("replace \(Self.short) -o folder.mp4")
    #expect(try work.names("folder.mp4").count == 6)
  }

  @Test(arguments: [
    ("out.mp4", "out.mp4"), ("out.mp4", "./out.mp4"), ("out.mp4", "folder/../out.mp4"), ("out.png", "link/out.png"),
    ("-", "-"), ("out/%05d.png", "out/%03d.png"), ("out", "out/%05d.png"), ("out/%05d.png", "out/00003.png"),
    ("out/00003.png", "out/%05d.png"),
  ])
  func resultAndMatteInOneFile(output: String, matte: String) throws {
    try work.pair()
    try work.makeFolder("folder")
    try work.makeFolder("out")
    try FileManager.default.createSymbolicLink(atPath: work.path("link"), withDestinationPath: ".")
    try work.refuse(
      "replace p.png --depth d.png -o \(output) --save-matte \(matte)", says: "would become one file", path: matte)
    try work.refuse(
      "replace p.png --depth d.png -o \(output) --save-matte \(matte) --force", says: "would become one file")
  }

  @Test func besideEachOther() throws {
    try work.makeFolder("out")
    try work.succeed("replace \(Self.short) -o out/a%03d.png --save-matte out/b%03d.png")
    #expect(try work.names("out").count == 12)
  }

  /// The command never replaces an input, even with `--force`.
  @Test(arguments: [
    ("replace p.png --depth d.png -o p.png", "p.png"), ("replace p.png --depth d.png -o ./d.png", "./d.png"),
    ("replace p.png --depth d.png -o new.png --save-matte link.png", "link.png"),
    ("replace p.png --depth d.png --background p.jpg -o p.jpg", "p.jpg"),
    ("replace v.mp4 --depth depth -o v.mp4", "v.mp4"),
    ("replace v.mp4 --depth depth -o depth/%03d.png", "depth/%03d.png"),
    ("replace v.mp4 --depth depth -o depth", "depth"),
    ("replace v.mp4 --depth depth -o depth/002.png", "depth/002.png"),
    ("replace recording -o recording/rgb", "recording/rgb"),
    ("replace recording -o recording/depth/1.png", "recording/depth/1.png"),
    ("matte recording -o recording/depth/%d.png", "recording/depth/%d.png"),
  ])
  func inputsAreKept(line: String, output: String) throws {
    try work.pair()
    try FileManager.default.createSymbolicLink(atPath: work.path("link.png"), withDestinationPath: "p.png")
    if line.contains("v.mp4") {
      try work.clip("v.mp4")
      try work.depthFolder("depth", 12, 64, 48)
    }
    try work.picture("recording/rgb/1.png")
    try work.depth("recording/depth/1.png")
    try work.refuse(line, says: "the output would replace", path: output)
    try work.refuse(line + " --force", says: "the output would replace", path: output)
  }

  // MARK: - Full disks

  @Test(
    .enabled(if: SmallDisk.canMount, "needs the right to mount a small file system"),
    arguments: ["out.mp4", "out.mkv", "out.png", "%05d.png"])
  func fullDisk(name: String) throws {
    // Noise does not compress, so one picture of this size exceeds the disk's space.
    var random = SeededRandom(seed: 1)
    let noise = (0..<400 * 300 * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
    try work.write(Array("P6\n400 300\n255\n".utf8) + noise, "noise.ppm")
    try MediaTool.make("-i \(work.path("noise.ppm"))", work.path("noise.png"))
    let quality = name.hasSuffix("png") ? "" : "--crf 1"
    try SmallDisk.with(kilobytes: 200) { disk in
      let outcome = try work.run(
        "replace sim:?size=400x300&seconds=2 --background noise.png \(quality) -o \(disk)/\(name)")
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("No space left on device"), "\(outcome.errors)")
      #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome.errors)")
      #expect(outcome.errors.contains("\nhint: free some space"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk).isEmpty)
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
  func fullPipe() throws {
    for line in ["replace \(Self.short) -o -", "looks", "looks show halo --json", "--help"] {
      let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
      let outcome = try run(line, output: full.fileDescriptor)
      #expect(outcome.status == 2, "\(line)")
      #expect(outcome.errors.hasPrefix("error: Backdrop cannot write"), "\(outcome.errors)")
      #expect(outcome.errors.contains("hint: "))
    }
  }

  // MARK: - Pipes

  /// If the reader stops early, the command ends silently by SIGPIPE, like other programs, unless its output fits into the pipe.
  @Test(arguments: [
    "replace sim:?size=64x48&seconds=5 -o -", "matte sim:?size=64x48&seconds=5 -o -", "looks", "looks --json",
    "replace --help",
  ])
  func readerLeaves(line: String) throws {
    for early in [true, false] {
      let (reading, writing) = ChildProcess.makePipe()
      if early { close(reading) }
      let program = try Program(
        BuiltCommand.path, Workplace.words(line), output: writing, folder: work.folder.path)
      // The command has its own copy of this end. If the test's copy stayed open, reading would never end.
      close(writing)
      if !early {
        // Reads like `head -c 100`.
        var bytes = [UInt8](repeating: 0, count: 100)
        _ = read(reading, &bytes, bytes.count)
        close(reading)
      }
      let outcome = program.wait()
      let isLong = early || line.hasPrefix("replace sim") || line.hasPrefix("matte")
      #expect(
        outcome.status == 128 + SIGPIPE || (outcome.status == 0 && !isLong), "\(outcome.status) \(outcome.errors)")
      #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    }
  }

  /// A shell reports the end by SIGPIPE as status 141; the other output is complete.
  @Test func readerLeavesWithAFileBeside() throws {
    try OutsideTool.run(
      "bash",
      [
        "-c",
        "cd \"$1\" && \"$0\" replace 'sim:?size=64x48&seconds=5' -o - --save-matte m.mp4 | head -c 100 >/dev/null; "
          + "[ ${PIPESTATUS[0]} = 141 ]", BuiltCommand.path, work.folder.path,
      ])
    #expect(try MediaTool.video(work.path("m.mp4"))["nb_read_frames"] == "150")
  }

  /// If no process reads the messages, the command still does its work, and failures keep their status.
  @Test func nobodyListens() throws {
    let (reading, writing) = ChildProcess.makePipe()
    close(reading)
    defer { close(writing) }
    func status(_ line: String) throws -> Int32 {
      try Program(BuiltCommand.path, Workplace.words(line), errors: writing, folder: work.folder.path).wait().status
    }
    #expect(try status("replace \(Self.short) -o out.mp4") == 0)
    #expect(work.folder.contents == ["out.mp4"])
    #expect(try status("replace none -o out.mp4") == 2)
  }

  /// New files must not get the numbers of closed standard streams, or messages would be written into them.
  @Test func closedStreams() throws {
    try OutsideTool.run(
      "sh",
      [
        "-c", "cd \"$1\" && \"$0\" replace \"$2\" -o out.png --json <&- >&- 2>&-; exit 0", BuiltCommand.path,
        work.folder.path, Self.short,
      ])
    #expect(work.folder.contents.allSatisfy { $0 == "out.png" })
    if work.folder.contents == ["out.png"] { #expect(try work.image("out.png").width == 64) }
  }

  private func run(_ line: String, output: Int32) throws -> Program.Outcome {
    try Program(BuiltCommand.path, Workplace.words(line), output: output, folder: work.folder.path).wait()
  }
}
