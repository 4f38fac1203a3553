import BackdropImaging

/// A numbered series of picture files, named by a pattern such as `out/%05d.png`.
///
/// The number occurs once in the file's name, as `%d` or `%0Nd` with N from 1 to 9; `%%` is a percent sign, and so is any other that starts
/// no number. So a pattern can neither read memory nor leave its folder.
package struct PictureSequence: Sendable, Equatable {
  package let pattern: String
  /// The folder part, without the last slash; `.` if there is none.
  package let folder: String
  private let before: String
  private let after: String
  private let digits: Int

  /// Whether the file name of `path` contains a number, `%d` or `%05d`, or something similar (`%5d`), so that it is meant as a pattern.
  /// `50%.png` is a name.
  package static func isPattern(_ path: String) -> Bool {
    guard path.utf8.last != UInt8(ascii: "/") else { return false }
    return hasNumber(Substring(path.unicodeScalars.dropFirst(FileName.before(path).unicodeScalars.count)))
  }

  /// Whether it contains an undoubled percent sign, optional digits, and `d` in sequence.
  private static func hasNumber(_ text: Substring) -> Bool {
    var rest = text
    while let start = rest.firstIndex(of: "%") {
      rest = rest[start...].dropFirst()
      if rest.first == "%" {
        rest.removeFirst()
      } else if rest.drop(while: { $0.isASCII && $0.isNumber }).first == "d" {
        return true
      }
    }
    return false
  }

  /// Parses a pattern.
  ///
  /// - Throws: `wrongArgument` if there is not exactly one number, for other conversions, or for a number in the folder.
  package init(pattern: String) throws(BackdropError) {
    func refuse(_ what: String) -> BackdropError {
      BackdropError(.wrongArgument, what, path: pattern, hint: "write it like folder/%05d.png")
    }
    self.pattern = pattern
    let folder = FileName(pattern).folder
    guard !Self.hasNumber(folder[...]) else {
      throw refuse("the number of a picture series must be in the file's name, not in the folder's")
    }
    guard !pattern.unicodeScalars.contains("\0") else { throw refuse("a file name cannot contain a zero byte") }
    self.folder = folder
    var rest = Substring(pattern.unicodeScalars.dropFirst(FileName.before(pattern).unicodeScalars.count))
    var texts = [""]
    var digits = 0
    while let character = rest.popFirst() {
      guard character == "%" else {
        texts[texts.count - 1].append(character)
        continue
      }
      if rest.first == "%" {
        rest.removeFirst()
        texts[texts.count - 1].append("%")
      } else if rest.first == "d" {
        rest.removeFirst()
        digits = 1
        texts.append("")
      } else if rest.first == "0", let width = rest.dropFirst().first?.wholeNumberValue, (1...9).contains(width),
        rest.dropFirst(2).first == "d"
      {
        rest.removeFirst(3)
        digits = width
        texts.append("")
      } else if Self.hasNumber("%" + rest.prefix { $0.isASCII && $0.isNumber || $0 == "d" }) {
        throw refuse("the number must be %d or %01d…%09d, not %\(rest.prefix(4))")
      } else {
        texts[texts.count - 1].append("%")
        continue
      }
      guard texts.count <= 2 else { throw refuse("a picture series has one number in its name, and this one has more") }
    }
    guard texts.count == 2 else { throw refuse("a picture series has a number in its name, and this one has none") }
    (before, after) = (texts[0], texts[1])
    guard !before.hasPrefix(".") else { throw refuse("the pictures would be hidden files") }
    self.digits = digits
  }

  /// The file's name, without the folder, of picture `index` (0 or more).
  package func name(_ index: Int) -> String {
    precondition(index >= 0, "pictures are counted from 0")
    return before + String(index).zeroPadded(to: digits) + after
  }

  /// Whether one of the pictures may have this name, without the folder; the name may have more digits than needed.
  package func mayHave(_ name: String) -> Bool {
    guard name.count > before.count + after.count, name.hasPrefix(before), name.hasSuffix(after) else { return false }
    return name.dropFirst(before.count).dropLast(after.count).allSatisfy { $0.isASCII && $0.isNumber }
  }

  package func path(_ index: Int) -> String { folder == "/" ? "/" + name(index) : folder + "/" + name(index) }
}
