import Foundation
import TestSupport
import Testing

/// `docs/messages.md` lists every message, so that an editor can read them all together.
@Suite struct MessageTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources").standardizedFileURL

  /// `BACKDROP_WRITE_DOCS=1` writes the page.
  @Test func thePageListsEveryMessage() throws {
    let table = MessageTable(try SourceText(in: Self.sources) { _ in true })
    #expect(Set(table.topics.keys) == Set(MessageTopic.all.map(\.title)))
    let text = table.markdown
    let page = GeneratedDocumentation.page("docs/messages.md")
    #expect(try GeneratedDocumentation.part("messages", of: page, from: text) == text)
    #expect(text.split(separator: "\n").count > 500)
  }

  @Test func findsMessages() {
    let source = #"""
      throw BackdropError(.badData, "the \(kind) has no \(a ? "b" : "c")", path: path, hint: "give \(x), or not")
      throw BackdropError(
        .system, isOne ? "there is one" : "there are \(f(1, "a"))", hint: .giveDepth)
      Warning("said" + " twice")
      let other = NoBackdropError(.badData, "not ours")
      BackdropError(kind, message, path: path)
      """#
    let table = MessageTable(SourceText(["BackdropC/b.swift": source]))
    #expect(
      table.markdown == """

        ## Programming in C

        - said twice
        - the … has no … → *give …, or not*
        - there is one | there are …

        """)
  }

  /// Messages are clauses, not sentences: no capital and no full stop, so that a path can follow.
  @Test func messagesAreOfOneForm() throws {
    let table = MessageTable(try SourceText(in: Self.sources) { _ in true })
    for (topic, messages) in table.topics {
      for message in messages {
        #expect(!message.text.hasSuffix("."), "\(topic): \(message.text)")
        #expect(!message.hint.hasSuffix(".") || message.hint.hasSuffix("…."), "\(topic): \(message.hint)")
        for text in [message.text, message.hint] {
          #expect(!text.contains("  ") && !text.contains("!"), "\(topic): \(text)")
        }
      }
    }
  }
}
