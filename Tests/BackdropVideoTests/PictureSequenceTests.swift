import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropVideo

@Suite struct PictureSequenceTests {
  let folder = TemporaryFolder()

  @Test(arguments: [
    ("out/%05d.png", 7, "out/00007.png"), ("%d.png", 12, "./12.png"), ("/a/b%03dc.png", 1234, "/a/b1234c.png"),
    ("/%02d.jpg", 0, "/00.jpg"), ("a/100%%-%01d.png", 3, "a/100%-3.png"), ("50%/%d.png", 3, "50%/3.png"),
    ("a/100% %02d %s.png", 3, "a/100% 03 %s.png"), ("%20%d%%.png", 3, "./%203%.png"),
  ])
  func names(pattern: String, index: Int, path: String) throws {
    #expect(PictureSequence.isPattern(pattern))
    #expect(try PictureSequence(pattern: pattern).path(index) == path)
  }

  @Test(arguments: [
    "out/a.png", "out/%d%d.png", "out/%s.png", "out/%n.png", "out/%5d.png", "out/%00d.png", "out/%010d.png",
    "out/%099999999d.png",
    "out/%*d.png", "out/%-5d.png", "out/%ld.png", "out/%x.png", "out/%", "out/%0", "out/%05", "%d/a%d.png", "%d/a.png",
    "out/%%.png",
    "out/.%d.png", "out/%d\0.png", "out/%1$d.png", "",
  ])
  func hostilePatterns(pattern: String) {
    #expect(refusal { try PictureSequence(pattern: pattern) }?.kind == .wrongArgument)
  }

  /// Percent signs that begin no number are part of a plain name.
  @Test(arguments: [
    "out 50%.png", "%s.png", "%%d.png", "%20a.png", "out/%", "100%%.png", "%d/a.png", "%x.png", "%-d.png", "%.png",
  ])
  func plainNames(path: String) { #expect(!PictureSequence.isPattern(path)) }

  @Test func appearTogether() throws {
    let path = folder.file("out")
    let staged = try StagedFolder(path + "/", overwrite: false)
    for index in 0..<3 { try staged.stage("\(index).png", [UInt8(index)].span) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 1)
    try staged.commit()
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["0.png", "1.png", "2.png"])
    #expect(FileManager.default.contents(atPath: path + "/2.png") == Data([2]))
  }

  @Test func goAwayTogether() throws {
    let (fresh, old) = (folder.file("fresh"), folder.file("old"))
    try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
    for path in [fresh, old] {
      let staged = try StagedFolder(path, overwrite: false)
      try staged.stage("a.png", [1].span)
    }
    #expect(folder.contents == ["old"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: old).isEmpty)
  }

  @Test func existingFilesStay() throws {
    let path = folder.path
    try folder.write([9], "1.png")
    let staged = try StagedFolder(path, overwrite: false)
    try staged.stage("0.png", [0].span)
    #expect(refusal { try staged.stage("1.png", [1].span) }?.hint == .replaceOutput)
    // A file that appears later stops all of them.
    try staged.stage("2.png", [2].span)
    try folder.write([9], "2.png")
    #expect(throws: BackdropError.self) { try staged.commit() }
    staged.discard()
    #expect(folder.contents == ["1.png", "2.png"])
    let forced = try StagedFolder(path, overwrite: true)
    try forced.stage("1.png", [1].span)
    try forced.commit()
    #expect(FileManager.default.contents(atPath: folder.file("1.png")) == Data([1]))
    #expect(folder.contents == ["1.png", "2.png"])
  }

  @Test(arguments: ["../a.png", "a/b.png", "", ".", "..", ".hidden", "a\0b"])
  func plainNamesOnly(name: String) throws {
    let staged = try StagedFolder(folder.file("out"), overwrite: true)
    #expect(throws: BackdropError.self) { try staged.stage(name, [1].span) }
  }

  @Test func badFolders() throws {
    #expect(throws: BackdropError.self) { try StagedFolder(folder.file("a/b"), overwrite: true) }
    try folder.write([9], "file")
    #expect(throws: BackdropError.self) { try StagedFolder(folder.file("file"), overwrite: true) }
    #expect(folder.contents == ["file"])
  }

  /// A link under the staging folder's name must not be followed.
  @Test func leftoversAreNotTouched() throws {
    let (out, other) = (folder.file("out"), folder.file("other"))
    for path in [out, other] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    try Data([9]).write(to: URL(fileURLWithPath: other + "/keep"))
    try FileManager.default.createSymbolicLink(
      atPath: out + "/.backdrop-partial-\(ProcessInfo.processInfo.processIdentifier)", withDestinationPath: other)
    let staged = try StagedFolder(out, overwrite: false)
    try staged.stage("a.png", [1].span)
    try staged.commit()
    #expect(try FileManager.default.contentsOfDirectory(atPath: other) == ["keep"])
    #expect(FileManager.default.contents(atPath: out + "/a.png") == Data([1]))
  }
}
