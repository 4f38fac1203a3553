import Foundation
import TestSupport
import Testing

@testable import BackdropImaging

@Suite struct FolderTests {
  let folder = TemporaryFolder()

  private func make(_ name: String) throws {
    let path = URL(fileURLWithPath: folder.file(name))
    try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data([1]).write(to: path)
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: folder.file(name), withDestinationPath: target)
  }

  @Test func names() throws {
    try make("b/deep")
    try make(".hidden")
    try make("ä.png")
    #expect(try Folder.names(in: folder.path).sorted() == [".hidden", "b", "ä.png"])
    let missing = BackdropError(
      .system, "Backdrop cannot list the folder (No such file or directory)", path: folder.file("none"))
    #expect(throws: missing) { try Folder.names(in: folder.file("none")) }
    #expect(throws: BackdropError.self) { try Folder.names(in: folder.file(".hidden")) }
  }

  @Test func removesWhatIsInIt() throws {
    try make("kept/file")
    try make("gone/a/b/c")
    try make("gone/.hidden")
    try link("gone/link", to: folder.file("kept"))
    try link("gone/a/nowhere", to: "missing")
    try Folder.remove(folder.file("gone"))
    #expect(folder.contents == ["kept"] && FileKind(folder.file("kept/file")) == .file)
    #expect(throws: BackdropError.self) { try Folder.remove(folder.file("gone")) }
  }

  @Test func resolvedPaths() throws {
    let root = FilePath.resolved(folder.path)
    #expect(root == realpath(folder.path, nil).map { String(cString: $0) })
    try make("real/sub/file")
    try link("link", to: "real")
    try link("loop", to: "loop")
    let expected = [
      "link/sub/file": "/real/sub/file", "link/new/deeper": "/real/new/deeper", "link/../x": "/x",
      "missing/../link/./new/": "/real/new", "real//sub/..": "/real", "loop/a": "/loop/a", "": "",
    ]
    for (path, resolved) in expected { #expect(FilePath.resolved(folder.file(path)) == root + resolved, "\(path)") }
    #expect(FilePath.resolved("/..") == "/" && FilePath.resolved("/") == "/")
    let here = FilePath.resolved(FileManager.default.currentDirectoryPath)
    #expect(FilePath.resolved("no such/file") == here + "/no such/file" && FilePath.resolved(".") == here)
  }

  @Test func environment() {
    #expect(ProcessEnvironment["PATH"] == ProcessInfo.processInfo.environment["PATH"])
    #expect(ProcessEnvironment["BACKDROP_NO_SUCH_VARIABLE"] == nil)
  }
}
