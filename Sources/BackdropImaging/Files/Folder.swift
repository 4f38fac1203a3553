#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lists and removes folders.
package enum Folder {
  /// The names of all that is in a folder, hidden ones too, in no order.
  ///
  /// - Throws: `system` if it cannot be listed.
  package static func names(in path: String) throws(BackdropError) -> [String] {
    guard let entries = opendir(path) else { throw BackdropError(.system, "cannot list the folder", path: path) }
    defer { closedir(entries) }
    var result: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) { String(cString: $0) }
      }
      if name != "." && name != ".." { result.append(name) }
    }
    return result
  }

  /// Removes a folder with all that is in it; symbolic links are removed, not followed.
  ///
  /// - Throws: `system` if it is not there, or if something in it cannot be removed.
  package static func remove(_ path: String) throws(BackdropError) {
    for name in try names(in: path) {
      let place = path + "/" + name
      if isFolder(place) {
        try remove(place)
      } else if unlink(place) != 0 {
        throw BackdropError(.system, "cannot remove the file", path: place)
      }
    }
    guard rmdir(path) == 0 else { throw BackdropError(.system, "cannot remove the folder", path: path) }
  }

  /// Whether it is one, and no link to one.
  private static func isFolder(_ path: String) -> Bool {
    var info = stat()
    return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
  }
}
