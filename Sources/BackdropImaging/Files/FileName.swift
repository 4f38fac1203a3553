/// The parts of a file's name.
///
/// It splits a path at the code points of slashes and dots, since Swift treats a dot with a combining accent as one character.
package struct FileName {
  /// Its folder; `.` for a name alone.
  package var folder: String
  /// The name without the folder.
  package var whole: String
  package var stem: String
  /// The extension in its original case, without the dot.
  package var writtenExtension: String
  package var fileExtension: String { writtenExtension.lowercased() }

  package init(_ path: String) {
    let bytes = path.utf8
    let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
    folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let whole = path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? ""
    self.whole = whole
    let dot = whole.utf8.lastIndex(of: UInt8(ascii: "."))
    stem = dot.map { String(whole[..<$0]) } ?? whole
    writtenExtension = dot.map { String(whole[whole.utf8.index(after: $0)...]) } ?? ""
  }

  /// The part of a path before its last name, including the slash; empty for a name alone.
  package static func before(_ path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
  }

  /// A path without the slashes at its end.
  package static func withoutSlashes(_ path: String) -> String {
    var scalars = path.unicodeScalars
    while scalars.count > 1 && scalars.last == "/" { scalars.removeLast() }
    return String(scalars)
  }

  /// A name in `folder` made of `before`, a stem and `after`, with the stem cut to the folder's maximum length.
  package static func fitting(_ before: String, _ stem: String, _ after: String, in folder: String) -> String {
    let most = FileCalls.longestName(in: folder) - FilePath.bytes(before + after).count
    var scalars = stem.unicodeScalars
    while FilePath.bytes(String(scalars)).count > max(0, most) { scalars.removeLast() }
    return before + String(scalars) + after
  }
}
