import Foundation
import TestSupport
import Testing

/// Swift code in documents consists of quotations from `Snippets/`, which the build compiles and tests run.
@Suite struct CodeBlockTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL

  /// Every Markdown file of this project for readers.
  private func documents() throws -> [String] {
    let kept = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
    let folders = ["docs", "Sources", "Examples"].flatMap { folder in
      (FileManager.default.enumerator(atPath: Self.root.appending(path: folder).path)?.allObjects as? [String] ?? [])
        .filter { $0.hasSuffix(".md") && !$0.contains(".build/") }.map { folder + "/" + $0 }
    }
    return kept + folders.sorted()
  }

  /// Links between documents, to their headings and to files have targets.
  @Test func linksLeadSomewhere() throws {
    func headings(_ text: String) -> Set<String> {
      Set(
        text.matches(of: /(?m)^#+ (.*)$/).map { match in
          match.1.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
            .replacing(" ", with: "-")
        })
    }
    var count = 0
    for path in try documents() + ["CHANGELOG.md"] where !path.contains(".docc/") {
      let file = Self.root.appending(path: path)
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /\]\(([^)\s#]*)#?([^)\s]*)\)/) where !match.1.hasPrefix("http") {
        count += 1
        let target = match.1.isEmpty ? file : file.deletingLastPathComponent().appending(path: String(match.1))
        #expect(FileManager.default.fileExists(atPath: target.standardizedFileURL.path), "\(path): \(match.1)")
        if !match.2.isEmpty, target.pathExtension == "md" {
          let known = headings(try String(contentsOf: target.standardizedFileURL, encoding: .utf8))
          #expect(known.contains(String(match.2)), "\(path): \(match.1)#\(match.2)")
        }
      }
    }
    #expect(count > 60)
  }

  @Test func blocksAreQuotedFromSnippets() throws {
    let folder = Self.root.appending(path: "Snippets")
    var snippets: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      snippets.append(try String(contentsOf: folder.appending(path: name), encoding: .utf8))
    }
    #expect(snippets.count > 10)
    var (count, unquoted): (Int, [String]) = (0, [])
    for path in try documents() {
      let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
      for block in Self.blocks(text) {
        count += 1
        if !snippets.contains(where: { Self.quotes($0, block) }) {
          unquoted.append("\(path):\n\(block.joined(separator: "\n"))")
        }
      }
    }
    #expect(count >= 13)
    #expect(unquoted.isEmpty, "\(unquoted.joined(separator: "\n\n"))")
  }

  /// The lines of each fenced Swift block.
  private static func blocks(_ markdown: String) -> [[Substring]] {
    var result: [[Substring]] = []
    var block: [Substring]?
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = line.drop { $0 == " " }
      if let lines = block {
        if text.hasPrefix("```") {
          result.append(lines)
          block = nil
        } else {
          block?.append(line)
        }
      } else if text.hasPrefix("```swift") {
        block = []
      }
    }
    return result
  }

  /// Whether a block is, line for line, a sequence of a snippet's lines. Lines from a scope may lose their indentation.
  private static func quotes(_ snippet: String, _ block: [Substring]) -> Bool {
    guard let first = block.first else { return false }
    let lines = snippet.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.contains { index in
      ["", "  "].contains { indentation in
        lines[index] == indentation + first
          && lines[index...].prefix(block.count).elementsEqual(block.map { $0.isEmpty ? "" : indentation + $0 })
      }
    }
  }

  @Test(
    arguments: [
      (["a", "b"], true), (["b", "c", "", "d"], true), (["a", "c"], false), (["a "], false), (["d", "e"], false),
      ([], false),
    ] as [([String], Bool)])
  func quotesAreWholeRunsOfLines(block: [String], isQuote: Bool) {
    #expect(Self.quotes("a\nb\nc\n\nd\n  e\n  f", block.map { $0[...] }) == isQuote)
  }
}
