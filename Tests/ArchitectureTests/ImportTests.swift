import Foundation
import TestSupport
import Testing

/// A module imports only modules above it in the table of `Sources/README.md`.
@Suite struct ImportTests {
  @Test func importsKeepToTheTable() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
    let sources = root.appending(path: "Sources")
    let text = try String(contentsOf: sources.appending(path: "README.md"), encoding: .utf8)
    let table = ImportTable(markdown: text)
    #expect(table.folders.contains("BackdropImaging") && table.folders.last == "BackdropServer")
    #expect(table.folders.contains(table.lastWithoutEssentials))
    let faults = try table.faults(sources: sources)
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
  }

  /// A valid tree, with one change at a time.
  @Test(
    arguments: [
      ("High/A.swift", "import Middle\nimport FoundationEssentials", []),
      (
        "High/A.swift", "import Middle\nimport Foundation",
        ["High/A.swift imports Foundation: FoundationEssentials is enough"]
      ),
      (
        "Middle/Topic/A.swift", "import Low\nimport Foundation\nlet read = JSONDecoder().decode",
        ["Middle/Topic/A.swift imports Foundation: FoundationEssentials is enough"]
      ),
      (
        "Low/B.swift", "@preconcurrency import struct Foundation.Date",
        ["Low/B.swift imports Foundation: FoundationEssentials is enough"]
      ),
      (
        "Low/B.swift", "import FoundationEssentials\nlet encoder: JSONEncoder",
        ["Low/B.swift imports FoundationEssentials, a quarter of what programs in C would load"]
      ),
      ("High/A.swift", "import Middle\nimport Low\n@testable import struct Low.Part", []),
      ("High/A.swift", "import Middle\nlet python = \"\"\"\n  import High\n  \"\"\"", []),
      ("High/A.swift", "import Low", ["the table lets High import Middle, which no file does"]),
      ("Low/A.swift", "import Middle", ["Low/A.swift imports Middle, which is not in the table for Low"]),
      (
        "Low/Topic/B.swift", "@_exported import High",
        ["Low/Topic/B.swift imports High, which is not in the table for Low"]
      ),
      ("Low/B.swift", "@testable import High", ["Low/B.swift imports High, which is not in the table for Low"]),
      (
        "Low/B.swift", "  package import enum High.Part",
        ["Low/B.swift imports High, which is not in the table for Low"]
      ),
      (
        "Low/B.swift", "import Synchronization; import High.Inner",
        [
          "Low/B.swift imports High, which is not in the table for Low"
        ]
      ),
      ("Middle/B.swift", "import Kit", ["Middle/B.swift imports Kit, which is not in the table for Middle"]),
      ("Other/A.swift", "import Low", ["Other is not in the table"]),
    ] as [(String, String, [String])])
  func findsFaults(path: String, text: String, faults: [String]) throws {
    let folder = TemporaryFolder()
    let tree = ["Low/A.swift": "import Kit", "Middle/Topic/A.swift": "import Low", "High/A.swift": "import Middle"]
    let sources = URL(filePath: folder.file("Sources"))
    for (path, text) in tree.merging([path: text], uniquingKeysWith: { $1 }) {
      let file = sources.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    var table = ImportTable(
      markdown: """
        Text.

        | folder | imports | holds |
        |---|---|---|
        | `Low` | `Kit` | things, `High` among them |
        | `Middle` | `Low` | things |
        | `High` | `Middle` | things |
        """)
    table.lastWithoutEssentials = "Middle"
    let found = try table.faults(sources: sources)
    // A case that replaces Low/A.swift removes the only import of Kit, so this fault is allowed.
    #expect(found.filter { $0 != "the table lets Low import Kit, which no file does" } == faults)
  }

  @Test func findsFaultsOfTheTable() throws {
    let folder = TemporaryFolder()
    let sources = URL(filePath: folder.file("Sources"))
    try FileManager.default.createDirectory(at: sources.appending(path: "Empty"), withIntermediateDirectories: true)
    func faults(_ rows: String) throws -> [String] { try ImportTable(markdown: rows).faults(sources: sources) }
    #expect(try faults("nothing") == ["there is no table"])
    #expect(try faults("| `A` | nothing |") == ["the table names A, which is no folder"])
    #expect(try faults("| `A` | – |\n| `B` | `A` |\n| `A` | – |") == ["the table has A twice"])
    #expect(
      try faults("| `A` | `B` |\n| `B` | `A` |") == ["the table lets A import B, which does not stand above it"])
  }
}
