import Foundation
import TestSupport
import Testing

/// `docs/public-api.txt` lists the public declarations, which `docs/public-api.md` promises. `BACKDROP_WRITE_DOCS=1` writes the list.
@Suite struct PublicInterfaceTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL
  private static let list = root.appending(path: "docs/public-api.txt")

  /// What the compiler says of a module's public declarations.
  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Kind: Decodable { let identifier: String }

      let kind: Kind
      let pathComponents: [String]
    }

    let symbols: [Symbol]
  }

  /// The public declarations of a module: `Type: member, member`, and those outside of types.
  private func lines(of folder: URL) throws -> [String] {
    let types: Set = ["swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.typealias"]
    var members: [String: Set<String>] = [:]
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      for symbol in try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file)).symbols {
        let path = symbol.pathComponents
        if types.contains(symbol.kind.identifier) {
          members[path.joined(separator: "."), default: []].formUnion([])
        } else if symbol.kind.identifier != "swift.extension" {
          members[path.dropLast().joined(separator: "."), default: []].insert(path.last ?? "")
        }
      }
    }
    return members.sorted { $0.key < $1.key }.map { type, names in
      names.isEmpty ? type : "\(type): \(names.sorted().joined(separator: ", "))"
    }
  }

  @Test func isTheListedOne() throws {
    let folder = TemporaryFolder()
    let build = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
    let made = try Program(
      Self.root.appending(path: "scripts/symbols.sh").path, [folder.path], folder: Self.root.path,
      environment: ["BACKDROP_BUILD": build]
    ).wait()
    try #require(made.status == 0, "\(made.errors)")
    var text = ""
    for module in folder.contents.sorted() {
      let lines = try lines(of: URL(filePath: folder.file(module)))
      // A module with public declarations has a page in the reference.
      let page = Self.root.appending(path: "Sources/\(module)/\(module).docc").path
      guard FileManager.default.fileExists(atPath: page) else {
        // C calls these functions.
        #expect(lines.isEmpty || module == "BackdropC", "\(module) is for this package alone: \(lines)")
        continue
      }
      text += "# \(module)\n" + lines.map { $0 + "\n" }.joined() + "\n"
    }
    if ProcessInfo.processInfo.environment["BACKDROP_WRITE_DOCS"] != nil {
      try text.write(to: Self.list, atomically: true, encoding: .utf8)
    }
    let listed = try String(contentsOf: Self.list, encoding: .utf8)
    let changed = Set(text.split(separator: "\n")).symmetricDifference(listed.split(separator: "\n"))
    #expect(changed.isEmpty, "BACKDROP_WRITE_DOCS=1 writes the list; differences: \(changed.sorted())")
  }
}
