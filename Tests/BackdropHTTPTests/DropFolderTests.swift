import BackdropHTTP
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// A drop folder limits the files that clients send, and removes them.
@Suite struct DropFolderTests {
  private let prefix = "backdrop-test-"

  private func made(in parent: String) throws(BackdropError) -> DropFolder {
    try DropFolder(in: parent, prefix: prefix, quota: UploadQuota(hint: "close something"))
  }

  @Test func uploadsHaveAQuota() throws {
    let quota = UploadQuota(limit: 100, hint: "close something")
    var reservations = [try quota.reservation(for: 60)]
    #expect(throws: BackdropError.self) { try quota.reservation(for: 41) }
    reservations.append(try quota.reservation(for: 40))
    #expect(quota.bytesInUse == 100)
    reservations.removeAll()
    #expect(quota.bytesInUse == 0)
    let folder = TestSupport.TemporaryFolder()
    let drops = try made(in: folder.path)
    let path = try drops.write([1, 2, 3], fileExtension: "jpg", reservation: try drops.quota.reservation(for: 3))
    #expect(drops.quota.bytesInUse == 3)
    var about = stat()
    #expect(stat(path, &about) == 0 && about.st_size == 3)
    drops.remove(path)
    #expect(drops.quota.bytesInUse == 0)
  }

  @Test func whatAKilledServerLeftGoesAtTheNextStart() throws {
    let parent = TestSupport.TemporaryFolder()
    let dead = parent.path + "/\(prefix)dead01"
    let foreign = parent.path + "/\(prefix)other1"
    for folder in [dead, foreign] { mkdir(folder, 0o700) }
    try "".write(toFile: dead + "/lock", atomically: false, encoding: .utf8)
    try "room".write(toFile: dead + "/1.jpg", atomically: false, encoding: .utf8)
    let living = try made(in: parent.path)
    #expect(FileKind(dead) == .absent)
    // A folder without a lock may belong to another program.
    #expect(FileKind(foreign) == .folder)
    let other = try made(in: parent.path)
    #expect(FileKind(living.path) == .folder)
    withExtendedLifetime((living, other)) {}
  }

  /// A starting server may mistake another's new folder for an abandoned one, if the other does not hold its lock yet.
  @Test func aFolderThatAnotherServerTakesIsNotUsed() throws {
    let parent = TestSupport.TemporaryFolder()
    var theirs: Int32 = -1
    let locked = try DropFolder.make(in: parent.path, prefix: prefix) { folder in
      theirs = open(folder + "/lock", O_RDWR)
      #expect(flock(theirs, LOCK_EX | LOCK_NB) == 0)
    }
    #expect(locked == nil)
    close(theirs)
    var gone = ""
    let removed = try DropFolder.make(in: parent.path, prefix: prefix) { folder in
      gone = folder
      // Another server starts completely at this moment.
      #expect(throws: Never.self) { try made(in: parent.path) }
    }
    #expect(removed == nil && FileKind(gone) == .absent)
    let kept = try #require(try DropFolder.make(in: parent.path, prefix: prefix))
    #expect(throws: Never.self) { try made(in: parent.path) }
    #expect(FileKind(kept.path + "/lock") == .file)
    close(kept.lock)
  }
}
