import Foundation
import Testing

/// What README shows of the library is what the build compiles.
@Suite struct ReadmeTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")

  static func text(_ name: String) throws -> String {
    try String(contentsOf: root.appending(path: name).standardizedFileURL, encoding: .utf8)
  }

  /// The only Swift in it, behind the comment that the file begins with.
  @Test func theExampleIsTheSnippet() throws {
    let blocks = try Self.text("README.md").components(separatedBy: "```swift\n").dropFirst()
    #expect(blocks.count == 1)
    let example = try #require(blocks.first?.components(separatedBy: "```").first)
    let snippet = try Self.text("Snippets/ReplaceBackground.swift")
    #expect(snippet.split(separator: "\n", maxSplits: 1).last.map(String.init) == example)
  }
}
