import Foundation
import TestSupport
import Testing

@testable import BackdropImaging

/// Backdrop opens libraries only from folders where no other user can write.
@Suite struct SharedLibraryTests {
  /// A folder with a system library under another name.
  private func library() throws -> (folder: TemporaryFolder, path: String) {
    let folder = TemporaryFolder()
    let inner = folder.file("libs")
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
    #expect(chmod(folder.path, 0o755) == 0 && chmod(inner, 0o755) == 0)
    try Data("no library".utf8).write(to: URL(fileURLWithPath: inner + "/libx.so"))
    #expect(chmod(inner + "/libx.so", 0o644) == 0)
    return (folder, inner + "/libx.so")
  }

  private func resolved(_ path: String) throws -> String { try #require(FileCalls.realPath(path)) }

  @Test func ownFilesAreTrusted() throws {
    let (folder, path) = try library()
    #expect(throws: Never.self) { try FileTrust.current.check(try resolved(path)) }
    // The path reaches the loader, which reports that the file is not a library.
    let error = refusal { try SharedLibrary.open(path) }
    #expect(error?.message.contains("cannot open the library") == true, "\(String(describing: error))")
    _ = folder
  }

  /// The file, its folder, or a folder above it has too many permissions.
  @Test(arguments: [
    ("libs/libx.so", 0o666, "all users"), ("libs/libx.so", 0o646, "all users"), ("libs", 0o777, "all users"),
    // Other users cannot replace the file in such a folder, but can add another one.
    ("libs", 0o1777, "all users"), ("", 0o777, "all users"),
  ])
  func whatAllCanChangeIsRefused(_ name: String, _ mode: UInt32, _ says: String) throws {
    let (folder, path) = try library()
    let changed = name.isEmpty ? folder.path : folder.file(name)
    #expect(chmod(changed, mode) == 0)
    let error = refusal { try SharedLibrary.open(path) }
    #expect(error?.kind == .unsupported && error?.message.contains(says) == true, "\(String(describing: error))")
    #expect(error?.path == (try resolved(changed)) && error?.hint?.text.contains("chmod go-w") == true)
  }

  @Test func groupsOfOneMayWrite() throws {
    let (folder, path) = try library()
    #expect(chmod(folder.file("libs"), 0o775) == 0)
    let group = try #require(
      FileManager.default.attributesOfItem(atPath: folder.file("libs"))[.groupOwnerAccountID] as? NSNumber)
    let resolved = try resolved(path)
    let users = FileTrust.current.users
    #expect(throws: BackdropError.self) { try FileTrust(users: users, groups: []).check(resolved) }
    #expect(throws: Never.self) { try FileTrust(users: users, groups: [group.uint32Value]).check(resolved) }
  }

  /// The check refuses a folder that belongs to an unknown user.
  @Test func othersAreNotTrusted() throws {
    let (folder, path) = try library()
    #expect(
      refusal { try FileTrust(users: [4711], groups: []).check(try resolved(path)) }?.message.contains(
        "belongs to user \(geteuid())") == true)
    _ = folder
  }

  /// All users may write to such a folder, but not replace another user's files.
  @Test func sharedFoldersAboveAreFine() throws {
    let (folder, path) = try library()
    #expect(chmod(folder.path, 0o1777) == 0)
    #expect(throws: Never.self) { try FileTrust.current.check(try resolved(path)) }
    // The check follows the link first: its target counts.
    let link = folder.file("link.so")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(chmod(folder.file("libs"), 0o777) == 0)
    #expect(throws: BackdropError.self) { try SharedLibrary.open(link) }
  }

  @Test(arguments: ["libc.so.6", "./libx.so", "", "libs/libx.so"]) func relativePathsAreRefused(_ name: String) {
    let error = refusal { try SharedLibrary.open(name) }
    #expect(error?.message.contains("full path") == true, "\(String(describing: error))")
  }

  @Test func librariesOfTheSystem() throws {
    #if os(Linux)
      #expect(try SharedLibrary.openOfSystem(["libnone-such.so.1", "libc.so.6"]) != nil)
    #endif
    #expect(try SharedLibrary.openOfSystem(["libnone-such.so.1"]) == nil)
  }
}
