import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCodecs

@Suite struct ZipTests {
  let folder = TemporaryFolder()

  func open(_ bytes: [UInt8]) throws -> ZipArchive {
    try folder.write(bytes, "a.zip")
    return try ZipArchive.open(folder.file("a.zip"))
  }

  func failure(_ bytes: [UInt8], _ name: String = "a", limit: Int = 1 << 20) -> BackdropError? {
    refusal {
      let archive = try open(bytes)
      // Damage may have renamed the entry.
      guard let entry = archive.entries[name] else { throw BackdropError(.badData, "no such file") }
      _ = try archive.read(entry, limit: limit)
    }
  }

  @Test func stored() throws {
    let archive = try open(
      MadeArchive.bytes([
        MadeArchive.File("a", [1, 2, 3]), MadeArchive.File("f/b", []), MadeArchive.File("c", [9]),
      ]))
    #expect(archive.entries.keys.sorted() == ["a", "c", "f/b"])
    #expect(try archive.read(try #require(archive.entries["a"]), limit: 3) == [1, 2, 3])
    #expect(try archive.read(try #require(archive.entries["f/b"]), limit: 0) == [])
  }

  /// The reader refuses files that share their bytes: a short archive of them could expand to any length.
  @Test func filesOverEachOther() throws {
    let bytes = (0..<500).map { UInt8($0 % 251) }
    let one = MadeArchive.bytes([MadeArchive.File("a", bytes)])
    // The directory entry, repeated under another name.
    let entry = 30 + 1 + 500..<30 + 1 + 500 + 46 + 1
    var other = Array(one[entry])
    other[46] = UInt8(ascii: "b")
    var both = one
    both.insert(contentsOf: other, at: entry.upperBound)
    let end = both.count - 22
    (both[end + 8], both[end + 10], both[end + 12]) = (2, 2, UInt8(2 * entry.count))
    try folder.write(both, "both.zip")
    let error = try #require(refusal { _ = try ZipArchive.open(folder.file("both.zip")) })
    #expect(error.kind == .badData && error.message.contains("files overlap"), "\(error)")
  }

  /// Stored, deflated and with ZIP64 records, as Python's zipfile writes them.
  @Test(.enabled(if: OutsideTool.isPresent("python3"), "needs python3"), arguments: [false, true])
  func python(isWide: Bool) throws {
    let script = """
      import zipfile, sys
      zipfile.ZIP64_LIMIT = \(isWide ? "-1" : "zipfile.ZIP64_LIMIT")
      zipfile.ZIP_FILECOUNT_LIMIT = \(isWide ? "0" : "zipfile.ZIP_FILECOUNT_LIMIT")
      with zipfile.ZipFile(sys.argv[1], 'w') as z:
        z.comment = b'a comment PK\\x05\\x06 that looks like an end'
        z.writestr('stored', bytes(range(256)))
        z.writestr('deflated', b'again and again ' * 1000, zipfile.ZIP_DEFLATED)
        with z.open('streamed', 'w', force_zip64=\(isWide ? "True" : "False")) as f: f.write(b'x' * 100)
      """
    try OutsideTool.run("python3", ["-c", script, folder.file("p.zip")])
    let archive = try ZipArchive.open(folder.file("p.zip"))
    func read(_ name: String) throws -> [UInt8] {
      try archive.read(try #require(archive.entries[name]), limit: 1 << 20)
    }
    #expect(try read("stored") == Array(0...255))
    #expect(try read("deflated") == (0..<1000).flatMap { _ in Array("again and again ".utf8) })
    #expect(try read("streamed") == [UInt8](repeating: 0x78, count: 100))
  }

  static let writtenFiles = ["a": [UInt8](repeating: 7, count: 90), "rgbd/ä": [], "c": Array(0...255)]

  /// Written archives are read back, including the wide records of long archives.
  @Test(arguments: [0xFFFF_FFFF, 100, 0]) func written(wideFrom: Int) throws {
    let writer = try ZipWriter.open(try OutputFile(folder.file("w.zip"), overwrite: false), wideFrom: wideFrom)
    for (name, bytes) in Self.writtenFiles { try writer.add(name, bytes) }
    #expect(throws: BackdropError.self) { try writer.add("a", []) }
    #expect(FileKind(folder.file("w.zip")) == .absent)
    try writer.finish()
    let archive = try ZipArchive.open(folder.file("w.zip"))
    #expect(archive.entries.count == 3)
    for (name, bytes) in Self.writtenFiles {
      #expect(try archive.read(try #require(archive.entries[name]), limit: 256) == bytes, "\(name)")
    }
  }

  @Test(.enabled(if: OutsideTool.isPresent("python3"), "needs python3"), arguments: [0xFFFF_FFFF, 100, 0])
  func pythonReadsWhatIsWritten(wideFrom: Int) throws {
    let writer = try ZipWriter.open(try OutputFile(folder.file("w.zip"), overwrite: false), wideFrom: wideFrom)
    for (name, bytes) in Self.writtenFiles { try writer.add(name, bytes) }
    try writer.finish()
    let script = "import zipfile,sys; z=zipfile.ZipFile(sys.argv[1]); z.testzip(); print(sorted(z.namelist()))"
    let list = try OutsideTool.text("python3", ["-X", "utf8", "-c", script, folder.file("w.zip")])
    #expect(list == "['a', 'c', 'rgbd/ä']\n")
  }

  @Test func unfinished() throws {
    do {
      let writer = try ZipWriter.open(try OutputFile(folder.file("w.zip"), overwrite: false))
      try writer.add("a", [1])
    }
    #expect(folder.contents.isEmpty)
  }

  @Test func lies() throws {
    var file = MadeArchive.File("a", [1, 2, 3])
    #expect(failure(MadeArchive.bytes([file]), limit: 2)?.kind == .overLimit)
    file.checksum ^= 1
    #expect(failure(MadeArchive.bytes([file]))?.message.contains("checksum") == true)
    file.byteCount = 4
    #expect(failure(MadeArchive.bytes([file]))?.kind == .badData)
    file.method = 12
    #expect(failure(MadeArchive.bytes([file]))?.kind == .unsupported)
    // One stored block of deflate (RFC 1951, 3.2.4).
    file.method = 8
    file.packed = [1, 3, 0, 0xFC, 0xFF, 1, 2, 3]
    file.byteCount = 3
    file.checksum ^= 1
    #expect(failure(MadeArchive.bytes([file])) == nil)
    for count in [2, 4, 1_000_000] {
      file.byteCount = count
      #expect(failure(MadeArchive.bytes([file]))?.kind == .badData, "\(count)")
    }
    let twice = [MadeArchive.File("a", [1]), MadeArchive.File("a", [2])]
    #expect(failure(MadeArchive.bytes(twice))?.message.contains("same name") == true)
  }

  /// A megabyte of zeros in a kilobyte that claims to be ten bytes, and ten bytes that claim to be a terabyte.
  @Test(.enabled(if: OutsideTool.isPresent("python3"), "needs python3")) func bombs() throws {
    try OutsideTool.run(
      "python3",
      [
        "-c",
        "import zlib,sys; c = zlib.compressobj(9, 8, -15); open(sys.argv[1],'wb').write(c.compress(bytes(1 << 20)) + c.flush())",
        folder.file("bomb"),
      ])
    var file = MadeArchive.File("a", [])
    file.packed = try folder.bytes("bomb")
    file.method = 8
    file.byteCount = 10
    #expect(failure(MadeArchive.bytes([file]))?.message.contains("unpack to its 10 bytes") == true)
    file.byteCount = 0xFFFF_FFF0
    #expect(failure(MadeArchive.bytes([file]))?.kind == .overLimit)
    #expect(failure(MadeArchive.bytes([file]), limit: .max)?.message.contains("a file has impossible lengths") == true)
  }

  @Test func cut() throws {
    let bytes = MadeArchive.bytes([MadeArchive.File("a", [1, 2, 3]), MadeArchive.File("b", [4])])
    for count in 0..<bytes.count {
      #expect(failure(Array(bytes[..<count]))?.hint != nil, "at \(count)")
    }
  }
}
