import Foundation
import TestSupport
import Testing

/// The messages in the sources.
@Suite struct MessageTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources").standardizedFileURL

  /// `docs/messages.md` explains messages in the words in which they appear.
  @Test func thePageQuotesMessages() throws {
    let known = Set(
      try MessageTable(SourceText(in: Self.sources) { _ in true }).messages
        .flatMap { $0.text.components(separatedBy: " | ") })
    let page = try String(contentsOf: URL(filePath: GeneratedDocumentation.page("docs/messages.md")), encoding: .utf8)
    let quoted = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { $0.components(separatedBy: "`")[1] }
    #expect((45...60).contains(quoted.count) && Set(quoted).count == quoted.count)
    for message in quoted { #expect(known.contains(message), "no message: \(message)") }
  }

  @Test func findsMessages() {
    let source = #"""
      throw BackdropError(.badData, "the \(kind) has no \(a ? "b" : "c")", path: path, hint: "give \(x), or not")
      throw BackdropError(
        .system, isOne ? "there is one" : "there are \(f(1, "a"))", hint: .giveDepth)
      Warning("said" + " twice")
      let other = NoBackdropError(.badData, "not ours")
      BackdropError(kind, message, path: path)
      let kind = try Kind(known: name, or: "no kind is called \(name)")
      """#
    let table = MessageTable(SourceText(["b.swift": source]))
    #expect(
      table.messages == [
        .init(text: "said twice"), .init(text: "the … has no …", hint: "give …, or not"),
        .init(text: "there is one | there are …"), .init(text: "no kind is called …"),
      ])
  }

  /// Messages are clauses, not sentences: no capital and no full stop, so that a path can follow.
  @Test func messagesAreOfOneForm() throws {
    let messages = try MessageTable(SourceText(in: Self.sources) { _ in true }).messages
    #expect(messages.count > 500)
    for message in messages {
      #expect(!message.text.hasSuffix("."))
      #expect(!message.hint.hasSuffix(".") || message.hint.hasSuffix("…."))
      for text in [message.text, message.hint] { #expect(!text.contains("  ") && !text.contains("!")) }
    }
  }
}
