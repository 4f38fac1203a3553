import Foundation
import Testing

/// Only the command names flags and commands; libraries return codes, which the command turns into sentences.
@Suite struct HintTests {
  /// Folders whose messages appear beside a command line.
  private static let programs = ["BackdropCommand/", "BackdropTerminal/", "BackdropServer/"]
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources").standardizedFileURL
  /// Flags of other programs that a file starts or describes.
  private static let others: [String: Set<String>] = [
    "BackdropLive/Install/ModelStore+Install.swift": [
      "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-deps", "--only-binary", "--implementation",
      "--python-version", "--abi", "--platform", "--require-hashes", "--dest", "--requirement", "--hash",
    ],
    "BackdropCameras/PipeWire/PipeWireCapture.swift": ["--user"],
    "BackdropCameras/PipeWire/PipeWireConnection.swift": ["--user"],
    "BackdropLive/Doctor/Doctor+Desktop.swift": [
      "--user", "--enable-features", "--session", "--timeout", "--dest", "--object-path", "--method",
    ],
  ]

  private func libraries() throws -> SourceText {
    try SourceText(in: Self.sources) { path in !Self.programs.contains { path.hasPrefix($0) } }
  }

  @Test func librariesNameNoFlagsAndNoCommands() throws {
    let command = try SourceText(in: Self.sources) { path in Self.programs.contains { path.hasPrefix($0) } }
    let commands = Set(command.captures(/commandName: "([a-z]+)"/))
    #expect(commands.isSuperset(of: ["live", "ctl", "replace", "models"]))
    let found = try libraries().namings(commands: commands, others: Self.others)
    #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
  }

  @Test(
    arguments: [
      (#"hint: "leave --codec out""#, ["--codec"]), (#"let flag = "--\(name)""#, [#"--\("#]),
      (#"hint: "name one with -o")"#, ["-o"]), (#"hint: "add -o talk.mp4")"#, ["-o"]),
      (#"  + "or --depth-scale: " // or --align"#, ["--depth-scale"]),
      (#"hint: "run: backdrop models""#, ["backdrop models"]),
      (#"hint: "run: backdrop models install""#, ["backdrop models"]), ("  /// As `--filter` writes it.", []),
      ("  // backdrop live", []), (#""the backdrop is here""#, []), (#""pip", "--quiet""#, []),
      (#""a - b, x-o, 2-d""#, []),
      ("let a = b - o", []),
    ] as [(String, [String])])
  func findsNamings(line: String, names: [String]) throws {
    let text = SourceText(["A.swift": "import B\n" + line])
    let found = try text.namings(commands: ["models", "live"], others: ["A.swift": ["--quiet"]])
    #expect(found == names.map { "A.swift:2 names \($0)" })
  }

  /// The command has a sentence for every hint of the libraries, and for no other.
  @Test func everyCodeHasItsSentence() throws {
    let libraries = try libraries()
    let codes = libraries.captures(/\bHint\(\s*"(\w+)",/)
    let names = libraries.captures(/static (?:let|func) (\w+)(?: =|\([^)]*\) -> Hint \{)\s+Hint\(\s*"/)
    #expect(codes.sorted() == names.sorted() && codes.count > 50, "a code has another name than its hint")
    #expect(Set(codes).count == codes.count, "two hints have one code")
    let table = try SourceText(in: Self.sources) { $0 == "BackdropTerminal/Hints.swift" }
    let keys = table.captures(/\n    "(\w+)":/)
    #expect(Set(keys).count == keys.count, "a code is in the table twice")
    #expect(Set(codes) == Set(keys), "\(Set(codes).symmetricDifference(keys).sorted())")
    let used = SourceText(libraries.files.filter { !$0.key.contains("Hint") }).words
    #expect(codes.allSatisfy(used.contains), "nobody advises \(codes.filter { !used.contains($0) })")
  }

  /// The placeholders in sentences match the values of the hints.
  @Test func sentencesHavePlaceholdersForTheValues() throws {
    let libraries = try libraries()
    let table = try SourceText(in: Self.sources) { $0 == "BackdropTerminal/Hints.swift" }
    let given = libraries.captures(/static func (\w+\(\w+): String\) -> Hint/)
    let placeholders = table.captures(/\n    ("\w+":\s*[^{}\n]*\{\w+)\}/).map { match in
      match.replacing(/^"(\w+)":[^{]*\{/) { "\($0.1)(" }
    }
    #expect(
      given.count > 3 && Set(given) == Set(placeholders), "\(Set(given).symmetricDifference(placeholders).sorted())")
  }
}
