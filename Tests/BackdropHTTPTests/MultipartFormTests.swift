import BackdropHTTP
import BackdropImaging
import TestSupport
import Testing

/// Forms like those that browsers, curl and Python send.
@Suite struct MultipartFormTests {
  private func form(_ text: String, boundary: String = "b") throws -> MultipartForm {
    try MultipartForm(Array(text.utf8).span, boundary: boundary)
  }

  @Test func readsPartsOfEveryKind() throws {
    let text =
      "ignored\r\n--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"me.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
      + "\u{0}\r\n--c\r\n--b\r\ncontent-disposition: FORM-DATA; name=look\r\n\r\nnoir\r\n"
      + "--b\r\nContent-Disposition: form-data; name=\"empty\"\r\n\r\n\r\n--b--\r\nignored"
    let read = try form(text)
    #expect(read.parts.map(\.name) == ["image", "look", "empty"])
    #expect(read.parts.map(\.fileName) == ["me.jpg", nil, nil])
    #expect(read.parts.map(\.text) == [nil, "noir", ""])
    #expect(
      read.parts.map { String(decoding: Array(text.utf8)[$0.range], as: UTF8.self) } == ["\u{0}\r\n--c", "noir", ""])
  }

  @Test(arguments: [
    "", "--b", "--b\r\n", "--b--x", "no boundary", "--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx",
    "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--", "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--",
    "--b\r\n" + String(repeating: "X: y\r\n", count: 2000) + "\r\nx\r\n--b--",
  ])
  func refusesWhatIsNoForm(text: String) throws {
    // The parser ignores everything after the last boundary.
    if text == "--b--x" { return #expect(try form(text).parts.isEmpty) }
    let error = try #require(refusal { try form(text) })
    #expect(error.kind == .wrongArgument && error.hint != nil)
  }

  @Test func boundsParts() throws {
    func text(_ count: Int) -> String {
      String(repeating: "--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n", count: count) + "--b--"
    }
    #expect(try form(text(100)).parts.count == 100)
    #expect(try #require(throws: BackdropError.self) { try form(text(101)) }.kind == .overLimit)
  }

  @Test func findsBoundaries() {
    #expect(MultipartForm.boundary(ofType: "multipart/form-data; boundary=\"a b\"") == "a b")
    #expect(MultipartForm.boundary(ofType: "Multipart/Form-Data;charset=x; Boundary=c") == "c")
    #expect(MultipartForm.boundary(ofType: "multipart/mixed; boundary=c") == nil)
    #expect(MultipartForm.boundary(ofType: "multipart/form-data") == nil)
  }

  /// Random bytes between boundaries come back unchanged. A failure prints the seed.
  @Test func keepsBytes() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<200 {
      let contents = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        (0..<Int.random(in: 0...300, using: &random)).map { _ in
          [13, 10, 45, 98, 0, 255].randomElement(using: &random) ?? 0
        }
      }.map { $0.map { UInt8($0) } }
      let boundary = "------------------------dcb3a1f9"
      var bytes: [UInt8] = []
      for (index, content) in contents.enumerated() {
        bytes +=
          Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(index)\"\r\n\r\n".utf8) + content + [13, 10]
      }
      bytes += Array("--\(boundary)--\r\n".utf8)
      let read = try MultipartForm(bytes.span, boundary: boundary)
      #expect(read.parts.map { Array(bytes[$0.range]) } == contents, "seed \(seed)")
    }
  }
}
