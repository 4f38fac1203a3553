import BackdropImaging
import Foundation
import TestSupport
import Testing

/// No result contains the real background, wherever the input's file contains it.
///
/// `Tests/Metadata/pictures.py` creates the inputs, a figure in front of a green room. It examines results with ExifTool, Pillow and
/// pillow-heif, and searches them for the bytes with which pictures begin.
@Suite(
  .enabled(
    if: OutsideTool.isPresent("exiftool")
      && OutsideTool.succeeds(OutsideTool.python, ["-c", "import PIL, pillow_heif"]),
    "needs ExifTool, Pillow and pillow-heif: make setup-test"))
struct OldPictureTests {
  let work = Workplace()
  static let script = #filePath.replacingOccurrences(
    of: "CommandTests/OldPictureTests.swift", with: "Metadata/pictures.py")

  func make() throws { try OutsideTool.run(OutsideTool.python, ["-B", Self.script, "make", work.folder.path]) }

  /// The errors in files, one a line.
  func check(_ names: [String]) throws -> String {
    try OutsideTool.text(OutsideTool.python, ["-B", Self.script, "check"] + names.map(work.path))
  }

  /// The checker must find the real background in every input, otherwise it could miss it in a result.
  @Test func thePicturesAreFound() throws {
    try make()
    let names = try FileManager.default.contentsOfDirectory(atPath: work.folder.path)
    let said = try check(names)
    for name in names {
      let about = said.split(separator: "\n").filter { $0.contains("/" + name + ":") }
      #expect(
        about.count > 2 || ["appended.jpg", "extended.jpg", "film.jpg"].contains(name) && about.count == 2, "\(name)")
    }
  }

  /// Each input alone, converted to JPEG and to one of the other file types.
  @Test func everyInput() throws {
    try make()
    let names = try FileManager.default.contentsOfDirectory(atPath: work.folder.path).sorted()
    #expect(names.count > 20)
    var results: [String] = []
    for (index, name) in names.enumerated() {
      let other = ["png", "webp", "avif", "heic"][index % 4]
      for result in ["\(name)-.jpg", "\(name)-.\(other)"] {
        try work.succeed("replace \(name) --matte chroma --background #0000a0 -o \(result)")
        results.append(result)
      }
    }
    #expect(try check(results) == "")
  }

  /// Every file type converted to every other, with other changes of the picture.
  @Test(arguments: ["jpg", "png", "webp", "avif", "heic"]) func everyKind(fileExtension: String) throws {
    try make()
    var results: [String] = []
    for name in ["olympus.jpg", "all.png", "all.webp", "all.avif", "all.heic"] {
      for (number, flags) in ["--background #0000a0 --aspect 1:1", "--background none", "--background #0000a0"]
        .enumerated()
      {
        guard number != 1 || !["jpg", "heic"].contains(fileExtension) else { continue }
        let result = "\(name)-\(number).\(fileExtension)"
        try work.succeed("replace \(name) --matte chroma \(flags) -o \(result)")
        results.append(result)
      }
    }
    #expect(try check(results) == "")
    // The results keep the other texts.
    for result in results {
      let tags = try OutsideTool.text(
        "exiftool", ["-s3", "-ImageDescription", "-Artist", "-DateTimeOriginal", work.path(result)])
      #expect(tags == "a caption\nan artist\n2026:01:02 03:04:05\n", "\(result)")
    }
  }

  /// A camera's notes point to nothing that the result lacks: ExifTool says no more about a result than about its source.
  @Test(arguments: ["jpg", "png", "webp", "heic"]) func notesStaySound(fileExtension: String) throws {
    try make()
    for maker in ["nikon", "sigma", "canon", "samsung", "ericsson", "olympus", "casio", "sony", "minolta", "apple"] {
      let source = try complaints("\(maker).jpg")
      try work.succeed("replace \(maker).jpg --matte chroma --background #0000a0 -o \(maker)-.\(fileExtension)")
      let found = try complaints("\(maker)-.\(fileExtension)")
      #expect(found.subtracting(source) == [], "\(maker)")
      // ExifTool has no names for what remains of Samsung's.
      let notes = try OutsideTool.text("exiftool", ["-s3", "-MakerNotes:all", work.path("\(maker)-.\(fileExtension)")])
      #expect(!notes.isEmpty || maker == "samsung", "\(maker): the notes are gone")
    }
  }

  /// What ExifTool finds wrong in a file.
  private func complaints(_ name: String) throws -> Set<Substring> {
    let text = try OutsideTool.text("exiftool", ["-validate", "-warning", "-error", "-a", "-s3", work.path(name)])
    // The first line counts the warnings.
    return Set(text.split(separator: "\n").dropFirst())
  }
}
