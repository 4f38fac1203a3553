import Foundation
import Testing

@testable import TestSupport

@Suite struct GeneratedDocumentationTests {
  private let folder = TemporaryFolder()

  private func page(_ text: String) throws -> String {
    let path = try folder.write(text.utf8, "page.md")
    return path
  }

  @Test func readsAndCorrectsAPart() throws {
    let path = try page("Above\n<!-- begin lamp -->\nold\n<!-- end lamp -->\nBelow\n")
    #expect(try GeneratedDocumentation.part("lamp", of: path, from: "new\n", isWriting: false) == "old\n")
    #expect(try GeneratedDocumentation.part("lamp", of: path, from: "new\n", isWriting: true) == "new\n")
    #expect(try GeneratedDocumentation.part("lamp", of: path, from: "", isWriting: false) == "new\n")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text == "Above\n<!-- begin lamp -->\nnew\n<!-- end lamp -->\nBelow\n")
  }

  @Test func missesAPart() throws {
    let path = try page("<!-- end lamp -->\n<!-- begin lamp -->\n")
    #expect(throws: CocoaError.self) {
      try GeneratedDocumentation.part("lamp", of: path, from: "", isWriting: true)
    }
  }

  @Test func findsThePagesOfTheProject() {
    #expect(FileManager.default.fileExists(atPath: GeneratedDocumentation.page("README.md")))
  }
}
