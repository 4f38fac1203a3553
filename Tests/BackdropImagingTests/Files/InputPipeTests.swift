import BackdropImaging
import Foundation
import TestSupport
import Testing

/// Pipes in a program that does not keep their contents, like this one; `PipeInputTests` runs one that does.
@Suite struct InputPipeTests {
  /// To recognize a file, and then to read it, takes two readings, and a pipe allows one: it is refused at once.
  @Test func recognizingIsRefused() {
    let folder = TemporaryFolder()
    let path = folder.file("pipe")
    mkfifo(path, 0o600)
    let error = refusal { try InputFile.head(path) }
    #expect(error?.kind == .wrongArgument && error?.path == path && error?.hint != nil)
    #expect(throws: BackdropError.self) { try InputFile.open(path, isPlain: true) }
    #expect(FileKind(path) == .other)
  }
}
