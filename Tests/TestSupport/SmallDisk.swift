import Foundation

/// Small file systems that fill up quickly, if this machine lets tests mount them.
public enum SmallDisk {
  /// Whether tests may mount file systems; tests that need one use `.enabled(if: SmallDisk.canMount, "needs the right to mount")`.
  public static let canMount: Bool = {
    do {
      try with(kilobytes: 200) { _ in }
      return true
    } catch {
      return false
    }
  }()

  /// Mounts an empty file system of this size while `body` runs, and passes its path.
  public static func with(kilobytes: Int, _ body: (String) throws -> Void) throws {
    let folder = TemporaryFolder()
    _ = try OutsideTool.run("mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "none", folder.path])
    defer { umount2(folder.path, Int32(MNT_DETACH)) }
    try body(folder.path)
  }
}
