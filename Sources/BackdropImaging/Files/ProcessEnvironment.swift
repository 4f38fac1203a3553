import Libc

/// The environment variables and arguments of this program.
package enum ProcessEnvironment {
  /// The value of a variable, as ``FilePath`` writes bytes; `nil` if it is not set.
  package static subscript(name: String) -> String? { getenv(name).map { FilePath.text($0) } }

  /// The person's own folder: as the environment says, or else as the system's list of users does; empty if neither does.
  package static var home: String {
    Self["HOME"] ?? getpwuid(getuid()).map { FilePath.text($0.pointee.pw_dir) } ?? ""
  }

  /// The folder that a variable of the XDG Base Directory Specification names; `usual`, below the person's own folder, where it is
  /// not set or not absolute.
  package static func baseFolder(_ name: String, usual: String) -> String {
    if let folder = Self[name], folder.hasPrefix("/") { return folder }
    return home + "/" + usual
  }

  /// Where files go that nobody keeps.
  package static var temporaryFolder: String {
    let folder = Self["TMPDIR"] ?? ""
    return folder.isEmpty ? "/tmp" : folder
  }

  /// The arguments after the program's name, as ``FilePath`` writes bytes.
  package static var arguments: [String] {
    // The list's length is that of the count, and the program is not named where it is 0.
    (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { FilePath.text($0) } }
  }
}
