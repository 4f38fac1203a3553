import BackdropCodecs
import BackdropImaging
import BackdropModels
import Foundation
import TestSupport
import Testing

/// Several inputs in one call.
@Suite struct BatchTests {
  let work = Workplace()
  static let near = "--cutoff 4"

  /// Creates recordings of one frame: a red room whose left half is near.
  func recordings(_ names: String...) throws {
    for name in names {
      try work.picture(name + "/rgb/1.png")
      try work.depth(name + "/depth/1.png", 64, 48, 500, right: 3000)
    }
  }

  /// The lines of standard error.
  func lines(_ outcome: Program.Outcome) -> [String] {
    outcome.errors.split(separator: "\n").map(String.init)
  }

  @Test func recordingsAndSimulations() throws {
    try recordings("one", "two")
    let outcome = try work.succeed(
      "replace one two/ sim:talking?size=320x180&seconds=0.1 --background #00ff00 --output-dir out")
    #expect(try work.names("out") == ["one.mp4", "talking.mp4", "two.mp4"])
    // Their few pixels of depth have such wide edges that much of the real background is visible, so the command warns for each.
    let said = lines(outcome).filter { !$0.contains("the room shows") }
    #expect(said.count == 4 && said[0].hasPrefix("[1/3] one → out/one.mp4: "), "\(said)")
    #expect(said.last?.hasPrefix("3 inputs: 3 done, ") == true, "\(said)")
    #expect(try MediaTool.video(work.path("out/talking.mp4"))["nb_read_frames"] == "3")
    try work.succeed("matte one two --output-dir mattes -q")
    #expect(try work.names("mattes") == ["one.mkv", "two.mkv"])
    #expect(try MediaTool.video(work.path("mattes/one.mkv"))["codec_name"] == "ffv1")
    try work.succeed("replace one two --background none --output-dir cut -q")
    #expect(try work.names("cut") == ["one.mov", "two.mov"])
    // If the usual file type does not support the codec, Matroska does.
    try work.succeed("replace one --codec ffv1 --output-dir lossless -q")
    try work.succeed("replace two --background none --codec vp9 --output-dir lossless -q")
    #expect(try work.names("lossless") == ["one.mkv", "two.mkv"])
    // The command does not replace existing files without `--force`.
    let again = try work.run("replace one sim:?size=64x48&seconds=0.1 --output-dir out")
    #expect(
      again.status == 2 && again.errors.contains("failed: one: the output already exists: out/one.mp4"),
      "\(again.errors)")
    #expect(try work.names("out") == ["one.mp4", "sim.mp4", "talking.mp4", "two.mp4"])
    try work.succeed("replace one --output-dir out --force")
  }

  /// The command names a failing input in turn and at the end, and processes the others.
  @Test func oneFailureDoesNotStopTheOthers() throws {
    try recordings("one", "two")
    try work.write("hello".utf8, "text.jpg")
    try work.write([], "empty.mp4")
    mkfifo(work.path("pipe.png"), 0o600)
    let outcome = try work.run("replace one text.jpg missing.png empty.mp4 two pipe.png --output-dir out")
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    let said = lines(outcome)
    #expect(said.filter { $0.hasPrefix("failed: ") }.count == 4, "\(said)")
    #expect(
      said.contains("[2/6] text.jpg failed: this is not a PNG, JPEG, HEIC, WebP, AVIF, TIFF or BMP picture"), "\(said)")
    #expect(
      said.contains("failed: text.jpg: this is not a PNG, JPEG, HEIC, WebP, AVIF, TIFF or BMP picture"), "\(said)")
    #expect(said.contains("failed: missing.png: no such file"), "\(said)")
    #expect(said.contains("failed: empty.mp4: the file is empty"), "\(said)")
    #expect(said.contains("failed: pipe.png: a device or a pipe must be the only input"), "\(said)")
    #expect(said.contains("error: 4 of 6 inputs failed"), "\(said)")
    #expect(said.last?.hasPrefix("hint: ") == true)
    #expect(try work.names("out") == ["one.mp4", "two.mp4"])
    let quiet = try work.run("replace one missing.png --output-dir out --force -q")
    #expect(quiet.status == 2)
    #expect(lines(quiet).prefix(2) == ["failed: missing.png: no such file", "error: 1 of 2 inputs failed"])
    // If all inputs fail, no empty folder remains.
    #expect(try work.run("replace missing.png text.jpg --output-dir new").status == 2)
    #expect(!FileManager.default.fileExists(atPath: work.path("new")))
  }

  /// Videos keep containers and sound that Backdrop can write; transparent ones become ProRes or VP9.
  @Test(.enabled(if: hasNetwork, "needs the network runtime: backdrop models install")) func videos() throws {
    try work.clip("a.mkv")
    try work.clip("b.mov")
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=64x48:r=25 -f lavfi -i sine -t 0.2 -c:v libvpx-vp9 -c:a libopus", work.path("c.webm"))
    try work.clip("d.avi")
    let videos = "a.mkv b.mov c.webm d.avi"
    // The clips contain no person, so the results show only the background; this test is about names.
    try work.succeed("replace \(videos) --background #204060 --output-dir out -q")
    #expect(try work.names("out") == ["a.mkv", "b.mov", "c.webm", "d.mp4"])
    try work.succeed("replace \(videos) --background none --output-dir cut -q")
    #expect(try work.names("cut") == ["a.mov", "b.mov", "c.webm", "d.mov"])
    #expect(try !MediaTool.packets(work.path("cut/c.webm"), "a", ["pts"]).isEmpty)
    try work.succeed("matte \(videos) --output-dir mattes -q")
    #expect(try work.names("mattes") == ["a.mkv", "b.mkv", "c.mkv", "d.mkv"])
  }

  @Test func skipExisting() throws {
    try recordings("one", "two")
    try work.write("precious".utf8, "out/one.mp4")
    let outcome = try work.succeed("replace one two --output-dir out/ --skip-existing")
    #expect(try work.data("out/one.mp4") == Data("precious".utf8))
    #expect(try work.names("out") == ["one.mp4", "two.mp4"])
    #expect(lines(outcome)[0] == "[1/2] one → out/one.mp4: already exists")
    #expect(lines(outcome).last?.hasPrefix("2 inputs: 1 done, 1 there already, ") == true, "\(outcome.errors)")
  }

  /// Two processes begin at once; each picture is made by one of them, and no process reports a failure.
  @Test func twoProcessesShareTheInputs() throws {
    try work.picture("in/1.png", color: RGBColor(red: 0.1, green: 0.7, blue: 0.2))
    let picture = try work.data("in/1.png")
    for number in 2...120 { try work.write(picture, "in/\(number).png") }
    let line = "replace in --matte chroma --background navy --output-dir out --skip-existing --json -q"
    let processes = try (0..<2).map { _ in try work.start(line) }
    var done: [String] = []
    for outcome in processes.map({ $0.wait() }) {
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
      let list = try outcome.list()
      #expect(list.count == 120 && list.allSatisfy { ["done", "skipped"].contains($0["status"] as? String) })
      done += list.filter { $0["status"] as? String == "done" }.compactMap { $0["input"] as? String }
    }
    #expect(done.count == 120 && Set(done).count == 120)
    #expect(try work.names("out").count == 120)
    #expect(try Set(work.names("out").map { try work.data("out/" + $0) }).count == 1)
  }

  /// What a folder holds besides files is left out, and this is said; the rest is done. Hidden names, other kinds of files, and the output
  /// folder itself do not count.
  @Test func leftOutThings() throws {
    for folder in ["in", "in/album", "in/.hidden", "in/out"] { try work.makeFolder(folder) }
    try work.picture("in/a.png", color: RGBColor(red: 0.1, green: 0.7, blue: 0.2))
    try work.write("hello".utf8, "in/notes.txt")
    try FileManager.default.createSymbolicLink(atPath: work.path("in/gone.jpg"), withDestinationPath: "nowhere.jpg")
    mkfifo(work.path("in/pipe.jpg"), 0o600)
    let line = "replace in --matte chroma --background navy --output-dir in/out --force"
    let outcome = try work.succeed(line + " --json")
    let list = try outcome.list()
    let leftOut = list.filter { $0["status"] as? String == "left out" }
    #expect(leftOut.map { $0["input"] as? String } == ["in/album", "in/gone.jpg", "in/pipe.jpg"])
    #expect(leftOut.allSatisfy { $0["error"] != nil && $0["hint"] != nil })
    #expect(lines(outcome).filter { $0.hasPrefix("warning: ") }.count == 3, "\(outcome.errors)")
    #expect(lines(outcome).last?.hasPrefix("1 input: 1 done, ") == true)
    // A folder that is named beside its own folder is an input of its own.
    try work.picture("in/album/b.png", color: RGBColor(red: 0.1, green: 0.7, blue: 0.2))
    let both = try work.succeed("replace in in/album --matte chroma --background navy --output-dir in/out --force")
    #expect(!both.errors.contains("folders inside") && both.errors.contains("2 inputs: 2 done"), "\(both.errors)")
    // Without any picture, the reason is still said.
    try work.makeFolder("empty/album")
    let none = try work.run("replace empty --output-dir out")
    #expect(none.status == 2 && lines(none).contains { $0.hasPrefix("warning: ") && $0.contains("empty/album") })
  }

  /// Shards process each input once, even if others are added meanwhile, and report missing inputs. A recording's name determines its
  /// shard; the sums are those of `BatchShardTests`.
  @Test func shards() throws {
    try recordings("one", "two", "three", "four")
    let inputs = "one two three four"
    var done: [[String]] = []
    for number in 1...3 {
      let outcome = try work.succeed("replace \(inputs) --output-dir out --shard \(number)/3")
      done.append(lines(outcome).filter { $0.hasPrefix("[") }.map { String($0.split(separator: " ")[1]) })
      #expect(lines(outcome).last?.hasPrefix("shard \(number)/3 has \(done[number - 1].count) of 4 inputs: ") == true)
    }
    #expect(done.flatMap(\.self).sorted() == ["four", "one", "three", "two"])
    #expect(try work.names("out") == ["four.mp4", "one.mp4", "three.mp4", "two.mp4"])
    try recordings("five", "six")
    for number in 1...3 {
      let outcome = try work.run(
        "replace five \(inputs) six gone --output-dir out --skip-existing --json -q --shard \(number)/3")
      #expect(outcome.status == 2)
      let list = try outcome.list()
      let there = list.filter { $0["status"] as? String == "skipped" }.compactMap { $0["input"] as? String }
      #expect(there == done[number - 1])
      #expect(list.last?["input"] as? String == "gone" && list.last?["status"] as? String == "failed")
    }
    #expect(try work.names("out").count == 6)
    // Output names are unique over all shards, so the same input fails, whichever shard has it.
    try recordings("deep")
    try recordings("deep/one")
    let said = try (1...3).map { try work.run("replace one deep/one --output-dir new --shard \($0)/3").errors }
    #expect(
      said.joined().matches(of: /failed: deep\/one: this input and 'one' would become one file: new\/one.mp4/).count
        == 1)
    #expect(try work.names("new") == ["one.mp4"])
  }

  /// Each of 20,000 inputs takes one look-up; comparing all with all would take a quarter of an hour.
  @Test(.timeLimit(.minutes(2))) func manyInputs() throws {
    try work.picture("in/0.png")
    try work.write([], "out/0.png")
    for number in 1..<20_000 {
      try #require(link(work.path("in/0.png"), work.path("in/\(number).png")) == 0)
      try #require(link(work.path("out/0.png"), work.path("out/\(number).png")) == 0)
    }
    let outcome = try work.succeed("replace in --output-dir out --skip-existing")
    #expect(lines(outcome).last?.hasPrefix("20000 inputs: 0 done, 20000 there already, ") == true)
    let other = try work.run("replace in --output-dir in --force")
    #expect(
      other.status == 2
        && other.errors.contains("failed: in/9.png: the output would replace 'in/0.png', which is another input"),
      "\(other.errors.prefix(2000))"
    )
  }

  @Test func json() throws {
    try recordings("one", "two")
    try work.write("precious".utf8, "out/two.mp4")
    let outcome = try work.run("replace one two missing --output-dir out --skip-existing --json -q")
    #expect(outcome.status == 2)
    let list = try outcome.list()
    #expect(list.map { $0["status"] as? String } == ["done", "skipped", "failed"])
    #expect(list.map { $0["input"] as? String } == ["one", "two", "missing"])
    #expect((list[0]["summary"] as? [String: Any])?["frames"] as? Int == 1)
    #expect(list[0]["output"] as? String == "out/one.mp4")
    #expect(list[2]["error"] as? String == "no such file" && list[2]["hint"] is String)
  }

  @Test(arguments: [
    ("replace one two", "you gave 2 inputs, but no --output-dir"),
    ("replace one two -o out.mp4", "you gave 2 inputs, but a single --output"),
    ("replace one -o out.mp4 --output-dir out", "both --output and --output-dir"),
    ("replace one -o out.mp4 --skip-existing", "--skip-existing works only with --output-dir"),
    ("replace one --output-dir out --skip-existing --force", "contradict each other"),
    ("replace one -o out.mp4 --shard 1/2", "--shard works only with --output-dir"),
    ("replace one --output-dir out --shard 0/2", "shard 0/2 does not exist"),
    ("matte one --output-dir out --shard 3/2", "shard 3/2 does not exist"),
    ("apply noir p.jpg --output-dir out --shard 1", "'1' is not a shard"),
    ("apply p.jpg --contact-sheet sheet.png --shard 1/2", "a contact sheet needs one photo"),
    ("replace one two --output-dir out --save-matte m.mp4", "--save-matte writes a single file"),
    ("replace one two --output-dir out --depth one/depth", "--depth works with a single input"),
    ("replace one two --output-dir file", "the output folder is a file: file"),
    ("replace one two --output-dir none/deep", "Backdrop cannot create the output folder: none/deep"),
    ("replace one two --output-dir out --background none.png", "no such background: none.png"),
    ("replace one two --output-dir out --background #12345", "'#12345' is not a colour"),
    ("replace one two --output-dir out --gamma 0", "gamma 0 is out of range"),
    ("matte b.jpg --output-dir . --background b.png --force", "there is no flag --background"),
    ("replace p.jpg --matte chroma --output-dir .", "1 of 1 inputs failed"),
  ])
  func refusesBeforeAnyWork(line: String, says: String) throws {
    try recordings("one", "two")
    try recordings("deep/one")
    try work.write("file".utf8, "file")
    try work.pair()
    for name in ["deep/p.png", "b.png", "b.jpg", "deep/b.jpg"] { try work.picture(name) }
    if says.hasSuffix("inputs failed") {
      let before = try work.snapshot()
      #expect(try work.run(line).errors.contains(says) && work.snapshot() == before)
      return
    }
    try work.refuse(line, says: says)
  }

  /// A green picture, whose matte needs no depth or network.
  private func screen(_ names: String...) throws {
    for name in names {
      var image = Image(.rgb8, width: 32, height: 24, color: .jpeg)
      image.fill(RGBColor(red: 0.1, green: 0.7, blue: 0.25))
      for y in 10..<24 {
        var row = image.mutableRow(y)
        for x in 12..<20 { (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = (120, 120, 120) }
      }
      try work.save(image, name)
    }
  }

  /// If two names collide, both results keep the inputs' extensions; only an input with an impossible name fails.
  @Test func clashes() throws {
    try screen("in/a.jpg", "in/a.png", "in/A.PNG", "in/b.webp", "in/50%d.png", "deep/a.jpg", "in/c.png", "in/c.png.jpg")
    let line = "--matte chroma --background none --output-dir"
    let outcome = try work.run("replace in deep/a.jpg in/b.webp \(line) out")
    #expect(
      try work.names("out")
        == ["50%d.png", "A.PNG", "a.jpg.png", "a.png.png", "b.webp", "c.png", "c.png.png"])
    #expect(
      outcome.status == 2
        && outcome.errors.contains(
          "failed: deep/a.jpg: this input and 'in/a.jpg' would become one file: out/a.jpg.png\n")
        && outcome.errors.contains(
          "failed: in/b.webp: you gave this input twice, and both would become one file: out/b.webp\n")
        && outcome.errors.contains("9 inputs: 7 done, 2 failed"), "\(outcome.errors)")
    // Inputs in another order get the same names, without the obstacle.
    try work.succeed("replace in/a.png in/c.png.jpg in/a.jpg in/c.png \(line) again -q")
    #expect(try work.names("again") == ["a.jpg.png", "a.png.png", "c.png", "c.png.png"])
    for name in try work.names("again") { #expect(try work.data("again/" + name) == work.data("out/" + name)) }
    // Only the inputs fail whose output already exists or is another input.
    let exists = try work.run("replace in/a.jpg in/b.webp in/a.png \(line) again")
    #expect(exists.status == 2 && exists.errors.contains("3 inputs: 1 done, 2 failed"), "\(exists.errors)")
    #expect(exists.errors.contains("failed: in/a.jpg: the output already exists: again/a.jpg.png"), "\(exists.errors)")
    let over = try work.run("replace in/c.png in/a.jpg in/a.png \(line) in")
    #expect(over.errors.contains("failed: in/c.png: the output would replace it\n"), "\(over.errors)")
    #expect(over.errors.contains("3 inputs: 2 done, 1 failed"), "\(over.errors)")
    let behind = try work.run(
      "replace deep/a.jpg in/b.webp --matte chroma --background in/a.png --output-dir in --force")
    #expect(behind.errors.contains("failed: in/b.webp: the output would replace it"), "\(behind.errors)")
    #expect(behind.errors.contains("2 inputs: 1 done, 1 failed"), "\(behind.errors)")
  }

  /// A batch keeps the last scene or picture in one size; each result is that of a call for its picture alone. A moving background starts
  /// again for each picture.
  @Test(arguments: ["scene:loft", "beach.jpg", "waves.mp4", "blur:3", "#204060"])
  func backgroundsFitEachPicture(background: String) throws {
    try screen("a.png", "c.png", "d.png")
    try work.save(try Picture.load(work.path("a.png"), as: .rgb8).scaled(toWidth: 50, height: 30), "b.png")
    try MediaTool.make("-f lavfi -i testsrc=size=80x40 -frames:v 1", work.path("beach.jpg"))
    try MediaTool.make("-f lavfi -i testsrc=size=80x40:rate=5 -frames:v 4 -pix_fmt yuv420p", work.path("waves.mp4"))
    let options = "--matte chroma --background \(background)"
    try work.succeed("replace a.png b.png c.png d.png \(options) --output-dir out -q")
    for name in try work.names("out") {
      try work.succeed("replace \(name) \(options) -o alone.png --force -q")
      #expect(try work.data("out/" + name) == work.data("alone.png"), "\(name)")
    }
    #expect(try work.names("out").count == 4)
  }

  /// All shards together create the same files as a single process.
  @Test func shardsAgreeOnNames() throws {
    try screen("in/a.jpg", "in/a.png", "in/a.webp", "in/b.jpg", "in/b.png", "in/c.png")
    try work.succeed("matte in --matte chroma --output-dir whole -q")
    for shard in 1...3 { try work.succeed("matte in --matte chroma --output-dir parts --shard \(shard)/3 -q") }
    #expect(try work.names("whole") == ["a.jpg.png", "a.png.png", "a.webp.png", "b.jpg.png", "b.png.png", "c.png"])
    #expect(try work.names("parts") == work.names("whole"))
    for name in try work.names("whole") { #expect(try work.data("parts/" + name) == work.data("whole/" + name)) }
  }

  /// A folder stands for its pictures and videos in natural order, and for no other files.
  @Test func folders() throws {
    try work.makeFolder("empty")
    for name in ["photos/10.png", "photos/9.JPG", "photos/50%d.jpg", "photos/inner/x.png"] { try work.picture(name) }
    try work.picture("photos/noending.png")
    try FileManager.default.moveItem(atPath: work.path("photos/noending.png"), toPath: work.path("photos/noending"))
    for name in ["photos/notes.txt", "photos/fake.jpg", "photos/.hidden.png"] { try work.write("hello".utf8, name) }
    // Requiring depth makes every picture fail without a network; the errors show the inputs and their order.
    let outcome = try work.run("replace photos empty --matte depth --output-dir out")
    #expect(outcome.status == 2)
    let tried = lines(outcome).filter { $0.hasPrefix("[") }.map { $0.split(separator: " ")[1] }
    #expect(
      tried == ["photos/9.JPG", "photos/10.png", "photos/50%d.jpg", "photos/fake.jpg", "photos/noending", "empty"])
    #expect(
      outcome.errors.contains("failed: empty: the folder holds no pictures or videos"), "\(outcome.errors)")
    #expect(
      outcome.errors.contains(
        "failed: photos/fake.jpg: this is not a PNG, JPEG, HEIC, WebP, AVIF, TIFF or BMP picture"),
      "\(outcome.errors)")
  }

  /// Ctrl-C stops everything; finished outputs remain, unfinished ones leave nothing.
  @Test func interruption() throws {
    try recordings("one")
    let running = try work.start("replace one sim:?seconds=600&size=320x180 sim:talking --output-dir out")
    try eventually("the second input is in work") {
      try work.snapshot().keys.contains { $0.contains("partial") && $0.contains("sim") }
    }
    running.send(SIGINT)
    let outcome = running.wait()
    #expect(outcome.status == 130 && outcome.output.isEmpty)
    #expect(outcome.errors.hasSuffix("interrupted after 1 of 3 inputs\n"), "\(outcome.errors)")
    #expect(try work.names("out") == ["one.mp4"])
  }

  static var hasNetwork: Bool { NetworkRuntime.isInstalled && ModelStore().isComplete }

  /// With real people, each picture's result is the same as alone, whatever pictures come before.
  @Test(.enabled(if: hasNetwork && TestData.hasPhotos, "needs make setup-test"))
  func networksRememberNothingOfOtherInputs() throws {
    let inputs = TestData.people.map { TestData.path($0) }
    try work.succeed("replace \(inputs.joined(separator: " ")) --background none --quality live --output-dir out -q")
    for path in inputs {
      let stem = URL(filePath: path).deletingPathExtension().lastPathComponent
      try work.succeed("replace \(path) --background none --quality live -o \(stem).png -q")
      #expect(try work.data("out/\(stem).png") == work.data("\(stem).png"), "\(path)")
    }
  }
}
