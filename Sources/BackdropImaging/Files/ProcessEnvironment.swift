import Libc

/// The environment variables and arguments of this program.
package enum ProcessEnvironment {
  /// The value of a variable, with bytes as in ``FilePath``; `nil` if it is not set.
  package static subscript(name: String) -> String? { getenv(name).map { FilePath.text($0) } }

  /// The user's home folder: from the environment, or else from the system's list of users; empty if neither has it.
  package static var home: String {
    Self["HOME"] ?? getpwuid(getuid()).map { FilePath.text($0.pointee.pw_dir) } ?? ""
  }

  /// The folder in a variable of the XDG Base Directory Specification; `usual`, below the home folder, if it is not set or not absolute.
  package static func baseFolder(_ name: String, usual: String) -> String {
    if let folder = Self[name], folder.hasPrefix("/") { return folder }
    return home + "/" + usual
  }

  package static var temporaryFolder: String {
    let folder = Self["TMPDIR"] ?? ""
    return folder.isEmpty ? "/tmp" : folder
  }

  /// The arguments after the program's name, with bytes as in ``FilePath``.
  package static var arguments: [String] {
    // The count may be 0: a list without even the program's name.
    (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { FilePath.text($0) } }
  }
}
