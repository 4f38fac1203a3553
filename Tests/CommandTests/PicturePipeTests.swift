import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// Pictures from standard input and to standard output.
@Suite struct PicturePipeTests {
  let work = Workplace()

  /// The screen in each readable file type.
  private func make(_ fileExtension: String) throws -> Data {
    let image = Workplace.screen()
    try work.save(image, "screen.png")
    switch fileExtension {
    case "png": break
    case "heic":
      try work.save(image, "screen.jpg")
      try work.succeed("photo convert screen.jpg screen.heic")
    case "bmp", "tiff": try MediaTool.make("-i \(work.path("screen.png"))", work.path("screen." + fileExtension))
    default: try work.save(image, "screen." + fileExtension)
    }
    return try work.data("screen." + fileExtension)
  }

  /// A pipe gives the same result as a file, byte for byte.
  @Test(arguments: ["png", "jpg", "webp", "avif", "heic", "tiff", "bmp"]) func transparent(fileExtension: String) throws
  {
    let picture = try make(fileExtension)
    try work.succeed("replace screen.\(fileExtension) --matte chroma --background none -o file.png -q")
    let before = try work.snapshot()
    let piped = try work.run("replace - --matte chroma --background none -o -", input: picture)
    #expect(piped.status == 0 && piped.errors.hasPrefix("-: 1 frame in "), "\(piped.errors)")
    // WebP, AVIF and HEIC support alpha, so the result keeps the type.
    let keeps = ["webp", "avif", "heic"].contains(fileExtension)
    if keeps {
      try work.succeed("replace screen.\(fileExtension) --matte chroma --background none -o file.\(fileExtension) -q")
    }
    #expect(try piped.output == work.data(keeps ? "file.\(fileExtension)" : "file.png"))
    for name in before.keys { #expect(try work.data(name) == before[name]) }
    #expect(try work.snapshot().count == before.count + (keeps ? 1 : 0))
  }

  /// An opaque result has the picture's own type if it can be written, otherwise PNG.
  @Test(arguments: [
    ("png", "png"), ("jpg", "jpg"), ("webp", "webp"), ("avif", "avif"), ("heic", "heic"), ("bmp", "png"),
  ])
  func opaque(fileExtension: String, result: String) throws {
    let picture = try make(fileExtension)
    try work.succeed("replace screen.\(fileExtension) --matte chroma --background navy -o file.\(result) -q")
    let piped = try work.run("replace - --matte chroma --background navy -o - -q", input: picture)
    #expect(try piped.status == 0 && piped.errors.isEmpty && piped.output == work.data("file.\(result)"))
    // Reading a file and writing to a pipe gives the same result, and so does the reverse.
    let half = try work.run("replace screen.\(fileExtension) --matte chroma --background navy -o - -q")
    #expect(half.output == piped.output)
    try work.succeed("replace - --matte chroma --background navy -o other.\(result) -q", input: picture)
    #expect(try work.data("other.\(result)") == piped.output)
  }

  @Test func mattesLooksAndParts() throws {
    let picture = try make("png")
    try work.succeed("matte screen.png --matte chroma -o matte.png -q")
    #expect(try work.run("matte - --matte chroma -o - -q", input: picture).output == work.data("matte.png"))
    try work.succeed("apply noir screen.png --matte chroma -o noir.png -q")
    #expect(try work.run("apply noir - --matte chroma -o - -q", input: picture).output == work.data("noir.png"))
    let summary = try work.run("replace - --matte chroma -o - --json", input: picture)
    let root = try #require(try JSONSerialization.jsonObject(with: Data(summary.errors.utf8)) as? [String: Any])
    #expect(root["input"] as? String == "-" && root["outputs"] as? [String] == ["-"] && !summary.output.isEmpty)
    // Each part of a photo with depth and a matte can go to the pipe.
    try work.depth("d.png", 96, 64, 800, right: 2000)
    try work.succeed(
      "photo embed screen.png --depth d.png --portrait-matte matte.png --absolute -o photo.heic")
    try work.succeed("photo extract photo.heic --save-depth depth.png --save-portrait-matte own.png")
    let photo = try work.data("photo.heic")
    #expect(try work.run("photo extract - --save-depth -", input: photo).output == work.data("depth.png"))
    #expect(try work.run("photo extract - --save-portrait-matte -", input: photo).output == work.data("own.png"))
    #expect(
      try work.run("photo inspect - --json", input: photo).output.count
        >= work.run("photo inspect photo.heic --json").output.count - 20)
    #expect(try work.run("depth stats -", input: photo).output == work.run("depth stats photo.heic").output)
    try work.refuse(
      "photo extract - --save-depth - --save-portrait-matte -", says: "two outputs have the same name", input: photo)
  }

  @Test func isRefused() throws {
    let picture = try make("jpg")
    try work.pair()
    try work.refuse("replace - --matte chroma -o - --save-matte -", says: "would become one file", input: picture)
    try work.refuse(
      "replace - --matte chroma -o x.png", says: "ends early", path: "standard input", input: picture.prefix(500))
    try work.refuse("replace - --depth d.png -o x.png", says: "a separate depth map", input: picture)
    try work.refuse(
      "replace - --background - --matte chroma -o x.png", says: "cannot come from standard input", input: picture)
    try work.refuse("replace - -o x.png", says: "the stream is empty", input: Data())
    try MediaTool.make("-f lavfi -i testsrc2=s=64x48:d=0.2 -pix_fmt yuv420p", work.path("v.mp4"))
    try work.refuse(
      "replace - -o x.png", says: "that is not YUV4MPEG2", path: "standard input",
      input: try work.data("v.mp4"))
    let batch = try work.run("replace - p.jpg --output-dir out", input: picture)
    #expect(batch.status == 2 && batch.errors.contains("standard input has no name"), "\(batch.errors)")
    try work.refuse("replace - --matte chroma --limit-pixels 1000 -o -", says: "96×64", input: picture)
  }

  /// If the reader stops early, the command ends quietly, as usual in a pipe.
  @Test func closedPipe() throws {
    var image = Image(.rgb8, width: 640, height: 480)
    var generator = SeededRandom(seed: 1)
    for y in 0..<480 {
      var row = image.mutableRow(y)
      // Noise, so that the result is larger than a pipe's capacity.
      for x in row.indices {
        let isScreen = x < 3 * 320
        row[x] = x % 3 == 1 && isScreen ? 255 : UInt8.random(in: 0...(x % 3 == 1 ? 20 : 250), using: &generator)
        if isScreen && x % 3 != 1 { row[x] = 0 }
      }
    }
    try work.save(image, "p.png")
    let line = "\(BuiltCommand.path) replace - --matte chroma -o - <p.png | head -c 8 >head; echo ${PIPESTATUS[0]}"
    let outcome = try Program("bash", ["-c", line], folder: work.folder.path).wait()
    #expect(outcome.text == "141\n" && outcome.errors.isEmpty, "\(outcome)")
    #expect(try work.data("head") == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
  }

  /// On a terminal (created by `script` of util-linux) the command prints no picture and waits for none.
  @Test(arguments: [
    ("replace p.jpg --matte chroma -o -", "standard output is a terminal"),
    ("photo extract p.jpg --save-picture -", "standard output is a terminal"),
    ("replace - --matte chroma -o x.png", "standard input is a terminal"),
    ("photo inspect -", "standard input is a terminal"),
  ])
  func terminal(line: String, says: String) throws {
    try work.pair()
    let outcome = try Program(
      "script", ["-qec", "\(BuiltCommand.path) \(line)", "/dev/null"], folder: work.folder.path
    ).wait()
    let text = outcome.text
    #expect(outcome.status == 2 && text.contains(says) && text.contains("hint:"), "\(text)")
    #expect(!FileManager.default.fileExists(atPath: work.path("x.png")))
  }
}
