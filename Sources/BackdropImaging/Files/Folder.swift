import Libc

/// Lists, creates and removes folders.
package enum Folder {
  /// The names in a folder, including hidden ones, in no particular order.
  ///
  /// - Throws: `system` if it cannot be listed.
  package static func names(in path: String) throws(BackdropError) -> [String] {
    guard let names = FileCalls.names(in: path) else {
      throw BackdropError(.system, "Backdrop cannot list the folder (\(systemReason()))", path: path)
    }
    return names.filter { $0 != "." && $0 != ".." }
  }

  /// Creates a folder and its missing parents.
  ///
  /// - Throws: `system` if one of them cannot be created.
  package static func make(_ path: String) throws(BackdropError) {
    guard FileKind(path) != .folder else { return }
    let parent = FileName(path).folder
    if parent != path { try make(parent) }
    guard FileCalls.makeFolder(path) == 0 || errno == EEXIST else {
      throw BackdropError(.system, "Backdrop cannot create the folder (\(systemReason()))", path: path)
    }
  }

  /// Removes a folder with its contents; symbolic links are removed, not followed.
  ///
  /// - Throws: `system` if it is missing, or if something in it cannot be removed.
  package static func remove(_ path: String) throws(BackdropError) {
    for name in try names(in: path) {
      let item = path + "/" + name
      // A link to a folder is not one.
      if FileCalls.linkStatus(item).map({ $0.st_mode & S_IFMT == S_IFDIR }) ?? false {
        try remove(item)
      } else if FileCalls.removeFile(item) != 0 {
        throw BackdropError(.system, "Backdrop cannot remove the file", path: item)
      }
    }
    guard FileCalls.removeFolder(path) == 0 else {
      throw BackdropError(.system, "Backdrop cannot remove the folder", path: path)
    }
  }
}
