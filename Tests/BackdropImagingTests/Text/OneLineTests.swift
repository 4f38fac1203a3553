import BackdropImaging
import Testing

/// Messages are one line, whatever names and files contain.
@Suite struct OneLineTests {
  @Test(arguments: [
    ("plain", "plain"), ("größe ✓ 640×480", "größe ✓ 640×480"), ("", ""), ("a\nb\r\nc\td", "a?b??c?d"),
    ("\u{1B}[2J\u{7F}", "?[2J?"), ("a\u{85}b\u{2028}c\u{2029}d\u{9B}e", "a?b?c?d?e"), ("\u{0C}\u{0B}\u{0}", "???"),
  ])
  func oddCharactersAreReplaced(_ text: String, _ line: String) {
    #expect(text.oneLine == line)
  }

  @Test func errorsAreOneLine() {
    let error = BackdropError(.wrongArgument, "there is no 'a\u{0C}b\n'", path: "c\n", hint: "write\n'd'")
    #expect(error.message == "there is no 'a?b?'" && error.hint?.text == "write?'d'")
    // The path is unchanged; the code that prints it must escape it.
    #expect(error.path == "c\n")
  }
}
