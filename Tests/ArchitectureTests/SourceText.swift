import Foundation

/// The text of the Swift files under a folder.
struct SourceText {
  /// Text by path below the folder.
  let files: [String: String]

  init(_ files: [String: String]) { self.files = files }

  /// Reads the Swift files whose paths satisfy `isWanted`.
  init(in folder: URL, where isWanted: (String) -> Bool) throws {
    var files: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where path.hasSuffix(".swift") && isWanted(path) {
      files[path] = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }
    self.files = files
  }

  /// The code on the lines, without comments. Swift has no operator `--`, so flags appear only in strings.
  private static func code(_ line: Substring) -> Substring {
    let start = line.drop { $0 == " " }
    if start.hasPrefix("//") { return "" }
    guard let comment = line.firstRange(of: " // ") else { return line }
    return line[..<comment.lowerBound]
  }

  /// Backdrop's flags and commands that strings name, one sentence each. The only short flag in the search is `-o`: others look like parts
  /// of formulas.
  ///
  /// - Parameters:
  ///   - commands: the words that can follow `backdrop`.
  ///   - others: flags of other programs that a file may name.
  func namings(commands: Set<String>, others: [String: Set<String>]) throws -> [String] {
    let flag = /--(?:[a-z][a-z-]*|\\\()|(?:^|[ ("])(-o)(?=[ ,)"]|$)/
    let command = /\bbackdrop ([a-z]+)/
    var result: [String] = []
    for (path, text) in files.sorted(by: { $0.key < $1.key }) {
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        let code = Self.code(line)
        guard code.contains("--") || code.contains("-o") || code.contains("backdrop ") else { continue }
        for match in code.matches(of: flag) {
          let name = match.1.map(String.init) ?? String(match.0)
          if others[path]?.contains(name) != true { result.append("\(path):\(index + 1) names \(name)") }
        }
        for match in code.matches(of: command) where commands.contains(String(match.1)) {
          result.append("\(path):\(index + 1) names \(match.0)")
        }
      }
    }
    return result
  }

  /// All names and numbers in all files.
  var words: Set<String> {
    var result: Set<String> = []
    for text in files.values {
      for word in text.utf8.split(whereSeparator: {
        !($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || $0 >= 0x30 && $0 <= 0x39)
      }) {
        result.insert(String(decoding: word, as: UTF8.self))
      }
    }
    return result
  }

  /// The captures of a pattern, file by file.
  func captures(_ pattern: Regex<(Substring, Substring)>) -> [String] {
    files.sorted { $0.key < $1.key }.flatMap { $0.value.matches(of: pattern).map { String($0.1) } }
  }
}
