import Synchronization

/// A function of a file's bytes that can run in a separate sandboxed process, for C libraries that decode untrusted files.
///
/// The value holds the other arguments. ``result(_:)`` runs it where files are decoded now.
package protocol IsolatedFunction: WireValue, Sendable {
  associatedtype Answer: WireValue
  /// The name by which the other process finds it.
  static var name: String { get }
  static var library: DecoderLibrary { get }
  /// The limits of pictures in an answer.
  var limits: ImageLimits { get }

  /// Does the work in this process; `file` is the open file, for functions that read one.
  func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> Answer
  /// Whether an answer for an input of `byteCount` bytes is plausible; by default every answer is.
  func accepts(_ answer: Answer, byteCount: Int) -> Bool
}

/// The one file that a decoder process may read, which its parent opened.
package final class DecodedFile {
  package let descriptor: Int32
  /// The reader that a function opened for the functions after it.
  package var reader: AnyObject?

  package init(descriptor: Int32) { self.descriptor = descriptor }
}

/// Libraries that are opened at their first use; a decoder process opens them before it enters its sandbox.
package enum DecoderLibrary: Int, Sendable, CaseIterable {
  case none, packing, tiff, ffmpeg
}

extension IsolatedFunction {
  package static var library: DecoderLibrary { .none }
  package var limits: ImageLimits { .standard }
  package func accepts(_ answer: Answer, byteCount: Int) -> Bool { true }

  /// Runs the function where files are decoded now: in the decoder process, or in this one.
  ///
  /// - Throws: errors in the bytes; `badData` if the process crashed or gave an implausible answer; `overLimit` if it took too long.
  package func result(_ bytes: Span<UInt8>) throws(BackdropError) -> Answer {
    try result(bytes) { () throws(BackdropError) in try run(bytes, of: nil) }
  }

  /// The same; `here` does the work in this process, with what the caller has already read of the file.
  package func result(_ bytes: Span<UInt8>, here: () throws(BackdropError) -> Answer) throws(BackdropError) -> Answer {
    guard let decoder = DecoderIsolation.current else { return try here() }
    return try answer(of: decoder, bytes)
  }

  /// The answer of a given process.
  package func answer(of decoder: any IsolatedDecoder, _ bytes: Span<UInt8>) throws(BackdropError) -> Answer {
    var reader = try decoder.call(self, bytes)
    guard try reader.read(Bool.self) else { throw try reader.read(BackdropError.self) }
    let answer = try reader.read(Answer.self)
    try reader.checkEnd()
    guard accepts(answer, byteCount: bytes.count) else { throw WireReader.damaged }
    return answer
  }

  /// Runs the function in this process and writes its answer or error in the form that ``answer(of:_:)`` reads.
  package func answer(_ bytes: Span<UInt8>, of file: DecodedFile?) -> WireWriter {
    var writer = WireWriter()
    do throws(BackdropError) {
      let answer = try run(bytes, of: file)
      writer.write(true)
      writer.write(answer)
    } catch {
      writer = WireWriter()
      writer.write(false)
      writer.write(error)
    }
    return writer
  }
}

/// A process that decodes for this one.
package protocol IsolatedDecoder: AnyObject, Sendable {
  /// Runs a function there and returns its answer.
  func call(_ function: some IsolatedFunction, _ bytes: Span<UInt8>) throws(BackdropError) -> WireReader
  /// Starts a separate process that can read the given open file and nothing else.
  ///
  /// - Throws: `system` if it cannot be started.
  func decoder(reading descriptor: Int32) throws(BackdropError) -> any IsolatedDecoder
}

/// The choice of the process that decodes files.
package enum DecoderIsolation {
  @TaskLocal private static var scoped: (any IsolatedDecoder)?
  private static let everywhere = Mutex<(any IsolatedDecoder)?>(nil)

  /// The process that decodes for the caller; `nil` if the caller decodes itself.
  ///
  /// Only ``IsolatedFunction`` and ``SourceOpening`` ask, so that decoders need not know where they run.
  static var current: (any IsolatedDecoder)? { scoped ?? everywhere.withLock { $0 } }

  /// Throws `unsupported` for a kind of file, such as "recordings of ROS 2", that only this process can decode, if decoding is isolated.
  package static func refuse(_ kind: String, _ path: String) throws(BackdropError) {
    guard current != nil else { return }
    throw BackdropError(
      .unsupported, "Backdrop does not decode \(kind) in a sandbox", path: path, hint: .leaveSandboxOut)
  }

  /// Sends all further decoding of this process to the decoder that `make` returns, unless it goes to one already.
  package static func use(_ make: () throws(BackdropError) -> any IsolatedDecoder) throws(BackdropError) {
    guard current == nil else { return }
    let decoder = try make()
    everywhere.withLock { $0 = decoder }
  }

  /// Wraps work for another thread so that it uses this thread's decoder.
  static func inheriting(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    guard let decoder = scoped else { return body }
    return { $scoped.withValue(decoder, operation: body) }
  }

  /// Runs `body`, and sends its decoding on this thread to `decoder`.
  package static func with<Result>(
    _ decoder: any IsolatedDecoder, _ body: () throws(BackdropError) -> Result
  ) throws(BackdropError) -> Result {
    try $scoped.withValue(decoder) { Swift.Result { () throws(BackdropError) in try body() } }.get()
  }
}

extension Hint {
  package static let leaveSandboxOut = Hint(
    "leaveSandboxOut", "decode without a sandbox, but only files that you trust")
  package static let replaceDamagedFile: Hint = "the file is damaged, or somebody crafted it to do harm"
}
