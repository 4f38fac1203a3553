import CBackdropKernels
import Libc

/// Libraries that are opened while the program runs.
///
/// What is in them runs as the user, so they are opened by absolute paths alone, and from places where nobody but root and the
/// user can have put them (``FileTrust``). Neither the current folder nor `LD_LIBRARY_PATH` is searched: libraries of the system
/// are looked for in the system's folders.
package enum SharedLibrary {
  /// Opens the library at an absolute path.
  ///
  /// - Throws: `unsupported` for a relative path, one that others can change, or a file that is no library; `wrongArgument` if
  ///   there is no such file.
  package static func open(_ path: String) throws(BackdropError) -> UnsafeMutableRawPointer {
    guard path.hasPrefix("/") else {
      throw BackdropError(
        .unsupported, "a library needs its full path, beginning with /", path: path, hint: Self.wholePath)
    }
    // What is checked and what is opened are the same then, whatever links there are.
    guard let resolved = FileCalls.realPath(path), FileKind(resolved) == .file else {
      throw BackdropError(.wrongArgument, "no such library", path: path, hint: Self.wholePath)
    }
    try FileTrust.current.check(resolved)
    guard let library = FilePath.withBytes(resolved, { dlopen($0, bd_library_mode()) }) else {
      let reason = dlerror().map { String(cString: $0) } ?? "unknown reason"
      let line = reason.split(whereSeparator: \.isNewline).last.map { String($0.prefix(200)) } ?? reason
      throw BackdropError(.unsupported, "Backdrop cannot open the library: \(line)", path: path)
    }
    return library
  }

  /// Opens the first of some libraries that is in one of the system's folders; `nil` if none is.
  ///
  /// - Throws: as ``open(_:)`` for one that is there.
  package static func openOfSystem(_ names: [String]) throws(BackdropError) -> UnsafeMutableRawPointer? {
    for name in names {
      for folder in systemFolders where FileKind(folder + "/" + name) == .file { return try open(folder + "/" + name) }
    }
    return nil
  }

  private static let wholePath: Remedy = "write its whole path, such as /usr/lib/x86_64-linux-gnu/NAME.so.0"

  /// Where distributions have their libraries: with and without the kind of machine in the path, what was built by hand last.
  private static let systemFolders: [String] = {
    #if arch(x86_64)
      let machine = "x86_64-linux-gnu"
    #elseif arch(arm64)
      let machine = "aarch64-linux-gnu"
    #else
      let machine = "lib"
    #endif
    return [
      "/usr/lib/\(machine)", "/lib/\(machine)", "/usr/lib64", "/lib64", "/usr/lib", "/lib", "/usr/local/lib/\(machine)",
      "/usr/local/lib64", "/usr/local/lib",
    ]
  }()
}

/// Whether nobody but root and the user could have changed a file.
package struct FileTrust: Sendable {
  /// The allowed owners of a file and the folders above it.
  package var users: Set<UInt32>
  /// Groups that may write there too: those with nobody else in them.
  package var groups: Set<UInt32>

  /// Root, this user, and who owns `/usr`, whose programs run anyway (root may have no number in a container); root's group, and
  /// the user's own one where nobody else is in it, as Debian and Fedora make them.
  package static let current: FileTrust = {
    var users: Set<UInt32> = [0, geteuid()]
    var info = stat()
    if stat("/usr", &info) == 0 { users.insert(info.st_uid) }
    var groups: Set<UInt32> = [0]
    if let user = getpwuid(geteuid()), let group = getgrgid(user.pointee.pw_gid),
      strcmp(user.pointee.pw_name, group.pointee.gr_name) == 0
    {
      let members = group.pointee.gr_mem
      if members?.pointee == nil { groups.insert(user.pointee.pw_gid) }
    }
    return FileTrust(users: users, groups: groups)
  }()

  package init(users: Set<UInt32>, groups: Set<UInt32>) { (self.users, self.groups) = (users, groups) }

  /// Refuses a file that others can change or replace.
  ///
  /// The file, its folder and all folders above belong to trusted users, and others may not write there; above its folder a place
  /// such as `/tmp` is fine, where all may write, but not remove or rename what is another's.
  ///
  /// - Parameter path: absolute and without symbolic links, as ``FileCalls/realPath(_:)`` gives it.
  /// - Throws: `unsupported`, with the place that is at fault.
  package func check(_ path: String) throws(BackdropError) {
    var place = path
    while true {
      if let fault = fault(of: place, mayBeShared: place != path && place != FileName(path).folder) {
        throw BackdropError(
          .unsupported, "Backdrop does not load a library that other users can change: \(fault)", path: place,
          hint: "make it yours or root's, and run: chmod go-w")
      }
      guard place != "/" else { return }
      let end = place.lastIndex(of: "/") ?? place.startIndex
      place = end == place.startIndex ? "/" : String(place[..<end])
    }
  }

  private func fault(of place: String, mayBeShared: Bool) -> String? {
    guard let info = FileCalls.linkStatus(place) else { return "Backdrop cannot check it" }
    guard users.contains(info.st_uid) else { return "it belongs to user \(info.st_uid)" }
    if mayBeShared && info.st_mode & S_ISVTX != 0 { return nil }
    if info.st_mode & S_IWOTH != 0 { return "all users can write to it" }
    if info.st_mode & S_IWGRP != 0 && !groups.contains(info.st_gid) {
      return "the group \(info.st_gid) can write to it"
    }
    return nil
  }
}
