import CBackdropKernels
import Libc

/// Opens libraries at run time.
///
/// Their code runs with the user's rights, so libraries are opened only by absolute paths, from folders that only root and the user can
/// write to (``FileTrust``). Neither the current folder nor `LD_LIBRARY_PATH` is searched: system libraries are searched in the system's
/// folders.
package enum SharedLibrary {
  /// Opens the library at an absolute path.
  ///
  /// - Parameter isGlobal: whether later libraries can use its functions.
  /// - Throws: `unsupported` for a relative path, a path that others can change, or a file that is not a library; `wrongArgument` if the
  ///   file does not exist.
  package static func open(_ path: String, isGlobal: Bool = false) throws(BackdropError) -> UnsafeMutableRawPointer {
    guard path.hasPrefix("/") else {
      throw BackdropError(
        .unsupported, "a library needs its full path, beginning with /", path: path, hint: Self.wholePath)
    }
    // Resolving links ensures that the checked file is the opened one.
    guard let resolved = FileCalls.realPath(path), FileKind(resolved) == .file else {
      throw BackdropError(.wrongArgument, "no such library", path: path, hint: Self.wholePath)
    }
    try FileTrust.current.check(resolved)
    guard
      let library = FilePath.withBytes(resolved, { dlopen($0, isGlobal ? RTLD_NOW | RTLD_GLOBAL : bd_library_mode()) })
    else {
      let reason = dlerror().map { String(cString: $0) } ?? "unknown reason"
      let line = reason.split(whereSeparator: \.isNewline).last.map { String($0.prefix(200)) } ?? reason
      throw BackdropError(.unsupported, "Backdrop cannot open the library: \(line)", path: path)
    }
    return library
  }

  /// Opens the first of some libraries that exists in the system's folders; `nil` if none does.
  package static func openOfSystem(
    _ names: [String], isGlobal: Bool = false
  ) throws(BackdropError) -> UnsafeMutableRawPointer? {
    for name in names {
      for folder in systemFolders where FileKind(folder + "/" + name) == .file {
        return try open(folder + "/" + name, isGlobal: isGlobal)
      }
    }
    return nil
  }

  /// Opens the newest library in the system's folders whose file name begins with `start`; `nil` if there is none.
  package static func openOfSystem(beginning start: String) throws(BackdropError) -> UnsafeMutableRawPointer? {
    for folder in systemFolders {
      let names = (FileCalls.names(in: folder) ?? []).filter { $0.hasPrefix(start) }
      guard let newest = names.max(by: { FileName.isBefore($0, $1) }) else { continue }
      return try open(folder + "/" + newest)
    }
    return nil
  }

  /// Opens the library whose absolute path an environment variable contains, or else the usual one; `nil` if it does not exist.
  package static func open(
    chosenBy variable: String, or usual: () throws(BackdropError) -> UnsafeMutableRawPointer?
  ) throws(BackdropError) -> UnsafeMutableRawPointer? {
    guard let chosen = ProcessEnvironment[variable] else { return try usual() }
    return FileKind(chosen) == .file ? try open(chosen) : nil
  }

  /// A function of an open library, of this type in the header; `nil` if it has none of that name.
  package static func function<Function>(
    _ name: String, of library: UnsafeMutableRawPointer, as type: Function.Type
  ) -> Function? {
    dlsym(library, name).map { unsafeBitCast($0, to: type) }
  }

  /// A function of a library in one of the system's folders, for callers that keep it; `names` has the newest first.
  package static func function<Function>(
    _ name: String, ofSystem names: [String], as type: Function.Type, missing: BackdropError
  ) -> Result<Function, BackdropError> {
    Result { () throws(BackdropError) in
      guard let library = try openOfSystem(names), let found = function(name, of: library, as: type) else {
        throw missing
      }
      return found
    }
  }

  private static let wholePath: Hint = "write its whole path, such as /usr/lib/x86_64-linux-gnu/NAME.so.0"

  /// The library folders of distributions: with and without the architecture in the path, local builds last.
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

/// Checks that only root and the user could have changed a file.
package struct FileTrust: Sendable {
  /// The allowed owners of a file and the folders above it.
  package var users: Set<UInt32>
  /// Groups that may also write there: those without other members.
  package var groups: Set<UInt32>

  /// Root, this user, and the owner of `/usr`, whose programs run anyway (root may have no number in a container); root's group, and the
  /// user's own one if it has no other members, as in Debian and Fedora.
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

  /// Refuses a file that others can change or replace; `path` is absolute, without symbolic links, from ``FileCalls/realPath(_:)``.
  ///
  /// The file, its folder and all folders above must belong to trusted users, and others must not be able to write there. Above its folder,
  /// a folder such as `/tmp` is allowed, where all may write, but not remove or rename other users' files.
  ///
  /// - Throws: `unsupported`, with the path of the insecure file or folder.
  package func check(_ path: String) throws(BackdropError) {
    var checked = path
    while true {
      if let fault = fault(of: checked, mayBeShared: checked != path && checked != FileName(path).folder) {
        throw BackdropError(
          .unsupported, "Backdrop does not load a library that other users can change: \(fault)", path: checked,
          hint: "make it yours or root's, and run: chmod go-w")
      }
      guard checked != "/" else { return }
      checked = FileName(checked).folder
    }
  }

  private func fault(of path: String, mayBeShared: Bool) -> String? {
    guard let info = FileCalls.linkStatus(path) else { return "Backdrop cannot check it" }
    guard users.contains(info.st_uid) else { return "it belongs to user \(info.st_uid)" }
    if mayBeShared && info.st_mode & S_ISVTX != 0 { return nil }
    if info.st_mode & S_IWOTH != 0 { return "all users can write to it" }
    if info.st_mode & S_IWGRP != 0 && !groups.contains(info.st_gid) {
      return "the group \(info.st_gid) can write to it"
    }
    return nil
  }
}
