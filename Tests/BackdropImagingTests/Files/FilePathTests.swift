import Foundation
import TestSupport
import Testing

@testable import BackdropImaging

/// Names are bytes: each name has its own text, which restores it exactly.
@Suite struct FilePathTests {
  @Test func anyBytesComeBack() {
    var random = SeededRandom(seed: 17)
    for _ in 0..<20_000 {
      // Mostly bytes that are parts of characters, which gives both whole and partial characters.
      let leads: [UInt8] = [
        0x41, 0x2F, 0x80, 0xBF, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xED, 0xA0, 0xF0, 0x9F, 0xF4, 0x8F, 0xB9, 0xBA, 0xFF,
      ]
      let bytes = (0..<Int.random(in: 0..<12, using: &random)).map { _ -> UInt8 in
        let lead = leads.randomElement(using: &random) ?? 0xFF
        return Bool.random(using: &random) ? lead : UInt8.random(in: 1...255, using: &random)
      }
      let text = FilePath.text(bytes)
      #expect(FilePath.bytes(text) == bytes, "\(bytes)")
      #expect(FilePath.withBytes(text) { String(cString: $0) } == String(decoding: bytes, as: UTF8.self))
      if let plain = String(validating: bytes, as: UTF8.self), !bytes.contains(0xF4) { #expect(text == plain) }
    }
  }

  @Test func namesOfTheirOwn() {
    // The characters that represent bytes can also occur in a name.
    let mark = "\u{10FEFF}"
    let bytes = Array(mark.utf8)
    #expect(FilePath.text(bytes) != mark && FilePath.bytes(FilePath.text(bytes)) == bytes)
    #expect(FilePath.text([0x61, 0xFF]) == "a\u{10FEFF}")
    #expect(FilePath.readable(FilePath.text([0x61, 0xFF, 0x0A, 0x80])) == "a\\xFF\n\\x80")
    #expect(FilePath.readable("grüße") == "grüße")
  }

  /// Searches find slashes and dots whatever follows. With an accent after them, Swift sees other characters.
  @Test func partsOfNames() {
    for (path, folder, stem, fileExtension) in [
      ("a/b.png", "a", "b", "png"), ("a/\u{301}b.png", "a", "\u{301}b", "png"), ("a.\u{301}g", ".", "a", "\u{301}g"),
      ("\u{600}/b", "\u{600}", "b", ""), ("/b", "/", "b", ""), ("a/b/", "a/b", "b", ""), (".png", ".", "", "png"),
      ("a.PNG", ".", "a", "png"),
    ] {
      let name = FileName(path)
      #expect(
        [name.folder, name.stem, name.fileExtension] == [folder, stem, fileExtension], "\(path): \(name)")
    }
    #expect(FileName.withoutSlashes("a/b///") == "a/b" && FileName.withoutSlashes("//") == "/")
  }

  @Test func longNamesFit() {
    for stem in [
      String(repeating: "n", count: 300), String(repeating: "é", count: 200),
      FilePath.text(Array(repeating: 0xFF, count: 255)),
    ] {
      let name = FileName.fitting(".", stem, ".partial.mp4", in: ".")
      let count = FilePath.bytes(name).count
      #expect((254...255).contains(count) && name.hasPrefix(".") && name.hasSuffix(".partial.mp4"))
    }
    #expect(FileName.fitting(".", "a", ".b", in: ".") == ".a.b")
  }
}

/// A program finds and keeps its own growing files, and never mistakes another program's for its own.
@Suite struct GrowingFileTests {
  let folder = TemporaryFolder()

  private func begin(_ name: String, _ text: String) throws -> OutputFile {
    let file = try OutputFile(folder.file(name), overwrite: false, growing: true)
    #expect(try file.begin().write(Array(text.utf8).span) == 0)
    file.isWorthKeeping = true
    return file
  }

  private func text(_ name: String) throws -> String { try String(contentsOfFile: folder.file(name), encoding: .utf8) }

  @Test func growsBesideItsName() throws {
    let file = try begin("talk.mp4", "a")
    #expect(folder.contents == ["talk.partial.mp4"])
    #expect(throws: BackdropError.self) { try begin("talk.mp4", "b") }
    #expect(folder.contents == ["talk.partial.mp4"])
    try file.commit()
    #expect(folder.contents == ["talk.mp4"] && file.path == folder.file("talk.mp4"))
  }

  @Test func whatAKilledProcessLeftIsKept() throws {
    for name in ["talk.partial.mp4", "talk.partial-2.mp4"] {
      try folder.write("old".utf8, name)
    }
    let file = try begin("talk.mp4", "new")
    #expect(folder.contents == ["talk.partial-2.mp4", "talk.partial-3.mp4", "talk.partial.mp4"])
    // A gap in the numbers must not hide the file that is still growing.
    try FileManager.default.removeItem(atPath: folder.file("talk.partial.mp4"))
    #expect(throws: BackdropError.self) { try begin("talk.mp4", "third") }
    try file.commit()
    #expect(folder.contents == ["talk.mp4", "talk.partial-2.mp4"])
    #expect(try text("talk.mp4") == "new" && text("talk.partial-2.mp4") == "old")
  }

  @Test func aNameThatIsTakenGetsANumber() throws {
    let first = try begin("talk.mp4", "1")
    try folder.write("mine".utf8, "talk.mp4")
    try first.commit()
    #expect(first.path == folder.file("talk-2.mp4") && first.isInPlace)
    #expect(try text("talk.mp4") == "mine" && text("talk-2.mp4") == "1")
  }

  /// With `--force`, only a complete file replaces an earlier one.
  @Test func aBrokenOffFileReplacesNoEarlierOne() throws {
    for isWhole in [false, true] {
      try folder.write("earlier".utf8, "talk.mp4")
      do {
        let file = try OutputFile(folder.file("talk.mp4"), overwrite: true, growing: true)
        #expect(try file.begin().write(Array("later".utf8).span) == 0)
        file.isWorthKeeping = true
        if isWhole { try file.commit() }
      }
      #expect(try text("talk.mp4") == (isWhole ? "later" : "earlier") && text("talk-2.mp4") == "later")
    }
  }

  /// A name that leads nowhere is absent; a name that cannot be examined is an error with the reason.
  @Test func absentIsNotUnknown() throws {
    #expect(try FileKind(of: folder.file("a")) == .absent && FileKind(of: folder.path) == .folder)
    for name in ["a", "b"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(name), withDestinationPath: folder.file(name == "a" ? "b" : "a"))
    }
    let error = refusal { try FileKind(of: folder.file("a")) }
    #expect(error?.kind == .system && error?.message.contains("Too many levels") == true)
  }

  @Test func exchangedNamesLeadToEachOther() throws {
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
      try folder.write(name.utf8, name + "/text")
    }
    #expect(FileCalls.exchange(folder.file("a"), folder.file("b")) == 0)
    #expect(try text("a/text") == "b" && text("b/text") == "a")
    #expect(FileCalls.exchange(folder.file("a"), folder.file("c")) == -1)
  }

  @Test func goingAwayKeepsWhatIsWorthIt() throws {
    do { _ = try begin("a.mp4", "1") }
    #expect(folder.contents == ["a.mp4"])
    do {
      let file = try begin("b.mp4", "1")
      file.isWorthKeeping = false
    }
    #expect(folder.contents == ["a.mp4"])
    // The failed start created nothing, so it must not remove another program's file.
    try folder.write("old".utf8, "c.partial.mp4")
    do { _ = try OutputFile(folder.file("c.mp4"), overwrite: false, growing: true) }
    #expect(folder.contents == ["a.mp4", "c.partial.mp4"])
  }
}
