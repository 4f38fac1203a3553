import Foundation
import Testing

/// `docs/design/global-state.md` lists the state that belongs to the whole process, with the reason for each.
@Suite struct GlobalStateTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL

  /// The global state in a file's text, as `File.name`.
  private static func state(in text: String, of path: String) -> [String] {
    let file = path.split(separator: "/").last.map { $0.split(separator: ".")[0] } ?? ""
    let declaration =
      /nonisolated\(unsafe\).*\bstatic var (\w+)|\bstatic let (\w+)(?:: [^=]+)? = (?:Mutex|OpenedOnce)\b|\bstatic let (shared|scenes) = \w+\(/
    return text.split(separator: "\n").compactMap { line in
      guard let found = line.firstMatch(of: declaration),
        let name = found.output.1 ?? found.output.2 ?? found.output.3
      else { return nil }
      return "\(file).\(name)"
    }
  }

  @Test func allStateHasAReason() throws {
    let sources = Self.root.appending(path: "Sources")
    let page = try String(contentsOf: Self.root.appending(path: "docs/design/global-state.md"), encoding: .utf8)
    let listed = page.matches(of: /\n\| `([\w+]+\.\w+)` \| \S/).map { String($0.output.1) }
    let found = try SourceText(in: sources, where: { _ in true }).files.flatMap { Self.state(in: $1, of: $0) }
    #expect(found.count > 15)
    #expect(Set(found) == Set(listed), "\(Set(found).symmetricDifference(listed).sorted())")
  }

  @Test(
    arguments: [
      ("private static let known = Mutex<Library?>(nil)", ["A.known"]),
      ("private static let opened = OpenedOnce { try open() }", ["A.opened"]),
      ("nonisolated(unsafe) private static var signal: sig_atomic_t = 0", ["A.signal"]),
      ("static let shared = Log()", ["A.shared"]), ("static let file: Mutex<Int32> = Mutex(-1)", ["A.file"]),
      ("private let state = Mutex(State())", []), ("static let shared: Hint = \"x\"", []),
    ] as [(String, [String])])
  func finds(line: String, expected: [String]) { #expect(Self.state(in: line, of: "B/A.swift") == expected) }
}
