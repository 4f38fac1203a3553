import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// Named pipes, and those of a shell's `<(…)`, as inputs of the command in every role: each is read once, however often it is opened.
@Suite struct PipeInputTests {
  let work = Workplace()

  init() throws {
    for name in ["screen.jpg", "screen.png"] { try work.save(Workplace.screen(), name) }
  }

  /// Runs a line of a shell in the folder; `backdrop` is the built command.
  private func shell(_ line: String) throws -> Program.Outcome {
    try Program(
      "bash", ["-c", "backdrop() { '\(BuiltCommand.path)' \"$@\"; }; \(line)"], folder: work.folder.path,
      environment: ["NO_COLOR": "1"]
    ).wait()
  }

  /// Runs a command with a file, with a named pipe and with `<(…)` in its place: what it prints and writes is the same.
  private func compare(_ line: String, _ file: String, output: String? = nil) throws {
    let result = output.map { " -o \($0)" } ?? ""
    func run(_ name: String) throws -> Data {
      let (before, input) = name == "pipe" ? ("mkfifo pipe; cat \(file) > pipe & ", "pipe") : ("", name)
      let outcome = try shell(before + "backdrop " + line.replacing("@", with: input) + result)
      #expect(outcome.status == 0, "\(line) \(name): \(outcome.errors)")
      try? FileManager.default.removeItem(atPath: work.path("pipe"))
      guard let output else {
        return Data(outcome.text.replacing(/(pipe|.dev.fd.\d+)/, with: file).utf8)
      }
      let data = try work.data(output)
      try FileManager.default.removeItem(atPath: work.path(output))
      return data
    }
    let wanted = try run(file)
    #expect(!wanted.isEmpty)
    #expect(try run("pipe") == wanted, "\(line) with a named pipe")
    #expect(try run("<(cat \(file))") == wanted, "\(line) with a substituted process")
  }

  @Test(arguments: [
    ("replace @ --matte chroma --background navy", "screen.jpg"), ("replace @ --matte chroma", "screen.png"),
    ("matte @ --matte chroma", "screen.jpg"), ("apply noir @ --matte chroma", "screen.jpg"),
    ("replace screen.png --matte chroma --background @", "screen.jpg"),
  ])
  func pictures(line: String, file: String) throws { try compare(line, file, output: "out.png") }

  @Test func descriptions() throws {
    try compare("photo inspect @", "screen.jpg")
    try compare("photo inspect @ --json", "screen.png")
  }

  @Test func depthAndLooks() throws {
    try work.depth("d.png", 96, 64, 800, right: 2000)
    try compare("depth stats @ --json", "d.png")
    try compare("photo embed screen.jpg --depth @", "d.png", output: "out.jpg")
    try work.write(try work.succeed("looks show noir --json").output, "look.json")
    try compare("replace screen.png --matte chroma --look @", "look.json", output: "out.png")
    try compare("apply @ screen.png --matte chroma", "look.json", output: "out.png")
  }

  @Test(arguments: ["mp4", "mkv", "gif", "y4m"]) func videos(fileExtension: String) throws {
    try MediaTool.make("-f lavfi -i color=0x19B43C:s=64x48:r=10:d=0.5", work.path("clip." + fileExtension))
    try compare("replace @ --matte chroma --background navy", "clip." + fileExtension, output: "out.y4m")
    try compare("replace screen.png --matte chroma --background @", "clip." + fileExtension, output: "out.png")
  }

  /// A recording, whose reader seeks in the whole file.
  @Test func recordings() throws {
    try work.succeed("record sim:?size=64x48&seconds=0.2 -o clip.mkv")
    try compare("depth stats @ --json", "clip.mkv")
  }

  /// Both roles read the same contents.
  @Test func onePipeInTwoRoles() throws {
    try work.succeed("replace screen.jpg --matte chroma --background screen.jpg -o file.png -q")
    let outcome = try shell(
      "mkfifo pipe; cat screen.jpg > pipe & backdrop replace pipe --matte chroma --background pipe -o out.png -q")
    #expect(try outcome.status == 0 && work.data("out.png") == work.data("file.png"), "\(outcome.errors)")
  }

  /// Nobody writes: the command says that it waits, and Ctrl-C ends it.
  @Test(arguments: [
    "photo inspect pipe", "replace pipe -o out.png", "replace screen.png --background pipe -o out.png",
    "apply pipe screen.png -o out.png", "depth stats pipe",
  ])
  func nobodyWrites(line: String) throws {
    mkfifo(work.path("pipe"), 0o600)
    let words = ["-c", "exec '\(BuiltCommand.path)' \(line) 2>&1"]
    let program = try Program("bash", words, folder: work.folder.path, environment: ["NO_COLOR": "1"])
    let said = String(decoding: program.waitForOutput(), as: UTF8.self)
    #expect(said == "note: Backdrop waits for a program to write to the pipe pipe\n")
    program.send(SIGINT)
    let outcome = program.wait()
    #expect(outcome.status == 130 && outcome.text.contains("interrupted"))
    #expect(work.folder.contents == ["pipe", "screen.jpg", "screen.png"])
  }

  /// The contents may be as long as memory allows, and a pipe can be empty.
  @Test func badContents() throws {
    let long = try shell("backdrop photo inspect <(head -c 10000000 /dev/zero) --limit-memory 400KB")
    #expect(long.status == 2 && long.errors.contains("the pipe's contents are longer than 400000 bytes"), "\(long)")
    let endless = try shell("backdrop replace <(cat /dev/zero) --limit-memory 400MB -o out.png")
    #expect(endless.status == 2 && endless.errors.contains("longer than 400000000 bytes"), "\(endless)")
    for line in ["photo inspect", "replace -o out.png", "replace screen.png -o out.png --background"] {
      let empty = try shell("mkfifo pipe; : > pipe & backdrop \(line) pipe; status=$?; rm pipe; exit $status")
      #expect(empty.status == 2 && empty.errors.contains("the file is empty: pipe"), "\(line): \(empty.errors)")
    }
    let text = try shell("backdrop replace <(echo hello) -o out.png")
    #expect(text.status == 2 && text.errors.hasPrefix("error: ") && text.errors.contains("/dev/fd/"), "\(text.errors)")
  }
}
