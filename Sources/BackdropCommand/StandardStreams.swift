import Backdrop
import BackdropTerminal
import Libc

/// Standard input and output for the name `-`, which may not be a terminal.
enum StandardStreams {
  /// Refuses to write the bytes of a picture or video to a terminal.
  static func checkOutput(_ names: String?...) throws(BackdropError) {
    guard names.contains(StandardInput.name), isatty(STDOUT_FILENO) == 1 else { return }
    throw BackdropError(
      .wrongArgument, "standard output is a terminal, which cannot show pictures",
      hint: "name a file, or pipe the output: … | PROGRAM")
  }

  /// Refuses to read a picture or video from a terminal.
  static func checkInput(_ name: String) throws(BackdropError) {
    guard name == StandardInput.name, isatty(STDIN_FILENO) == 1 else { return }
    throw BackdropError(
      .wrongArgument, "standard input is a terminal, which cannot send a picture", hint: "pipe one in: PROGRAM | …")
  }

  /// Writes bytes to standard output; if the reader has closed it, the program ends quietly.
  static func write(_ bytes: Span<UInt8>, _ contents: String) throws(BackdropError) {
    do throws(BackdropError) {
      try PipeWriter(descriptor: STDOUT_FILENO, contents: contents).write(bytes)
    } catch {
      guard error.kind == .interrupted else { throw error }
      Interruption.endAsClosedPipe()
    }
  }
}

extension DepthPhoto {
  /// Opens the photo that an argument names: a file, or `-`.
  static func given(_ name: String, _ limiting: LimitOptions) throws(BackdropError) -> DepthPhoto {
    try StandardStreams.checkInput(name)
    return try named(name, limits: try limiting.prepare(), isInterrupted: { Interruption.isRequested })
  }

  /// Opens a photo, and selects the requested picture if it has several.
  static func given(
    _ name: String, _ reading: ParameterFlags<PhotoReading>, _ limiting: LimitOptions
  ) throws(BackdropError) -> DepthPhoto {
    var wanted = PhotoReading()
    try reading.apply(to: &wanted)
    do throws(BackdropError) { return try wanted.applied(to: given(name, limiting)) } catch { throw error.at(name) }
  }
}
