/// A file's name in parts.
package struct FileName {
  /// Where it is; `.` for a name alone.
  package var folder: String
  /// Without folder and extension.
  package var stem: String
  /// The extension in lower case, without the dot.
  package var ending: String

  package init(_ path: String) {
    let slash = path.lastIndex(of: "/")
    folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let name = path.split(separator: "/").last ?? ""
    let dot = name.lastIndex(of: ".")
    stem = String(dot.map { name[..<$0] } ?? name)
    ending = dot.map { name[name.index(after: $0)...].lowercased() } ?? ""
  }
}
