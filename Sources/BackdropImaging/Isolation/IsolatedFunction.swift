import Synchronization

/// A function of the bytes of a file that may run in a process of its own, which can do nothing else: what libraries in C do with
/// bytes from outside.
///
/// The value holds the other arguments. Where the function is needed it asks ``isolated(_:)`` first:
///
///     if let image = try JPEGDecoding(format: format, limits: limits).isolated(bytes) { return image }
package protocol IsolatedFunction: WireValue, Sendable {
  associatedtype Answer: WireValue
  /// Its name for the other process.
  static var name: String { get }
  /// The libraries that it opens.
  static var library: DecoderLibrary { get }
  /// The largest picture of an answer.
  var limits: ImageLimits { get }

  /// Does the work in this process.
  ///
  /// - Throws: errors in the bytes.
  func run(_ bytes: Span<UInt8>) throws(BackdropError) -> Answer
  /// Whether an answer about so many bytes makes sense; by default any does.
  func accepts(_ answer: Answer, byteCount: Int) -> Bool
}

/// Libraries that are opened at their first use, so before the walls go up.
package enum DecoderLibrary: Int, Sendable, CaseIterable {
  case none, tiff, ffmpeg
}

extension IsolatedFunction {
  package static var library: DecoderLibrary { .none }
  package var limits: ImageLimits { .standard }
  package func accepts(_ answer: Answer, byteCount: Int) -> Bool { true }

  /// What the function gives, from another process; `nil` where no other process decodes.
  ///
  /// - Throws: errors in the bytes; `badData` where they made the other process crash or give an answer that makes no sense;
  ///   `overLimit` where it took too long.
  package func isolated(_ bytes: Span<UInt8>) throws(BackdropError) -> Answer? {
    guard let decoder = DecoderIsolation.current else { return nil }
    return try answer(of: decoder, bytes)
  }

  /// The same from a known process.
  ///
  /// - Throws: as ``isolated(_:)``.
  package func answer(of decoder: any IsolatedDecoder, _ bytes: Span<UInt8>) throws(BackdropError) -> Answer {
    var reader = try decoder.call(self, bytes)
    guard try reader.read(Bool.self) else { throw try reader.read(BackdropError.self) }
    let answer = try reader.read(Answer.self)
    try reader.checkEnd()
    guard accepts(answer, byteCount: bytes.count) else { throw WireReader.damaged }
    return answer
  }

  /// Does the work in this process and writes what came of it, as ``isolated(_:)`` reads it.
  package func answer(_ bytes: Span<UInt8>) -> WireWriter {
    var writer = WireWriter()
    do throws(BackdropError) {
      let answer = try run(bytes)
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

/// Another process that decodes.
package protocol IsolatedDecoder: AnyObject, Sendable {
  /// Has a function run there, and gives what it wrote.
  ///
  /// - Throws: as ``IsolatedFunction/isolated(_:)``.
  func call(_ function: some IsolatedFunction, _ bytes: Span<UInt8>) throws(BackdropError) -> WireReader
  /// A process of its own for an open file, which may be read there, and nothing else.
  ///
  /// - Throws: `system` if there is none.
  func decoder(reading descriptor: Int32) throws(BackdropError) -> any IsolatedDecoder
}

/// Which process decodes files.
package enum DecoderIsolation {
  @TaskLocal private static var scoped: (any IsolatedDecoder)?
  private static let everywhere = Mutex<(any IsolatedDecoder)?>(nil)

  /// Who decodes for the caller; `nil` where it does so itself.
  package static var current: (any IsolatedDecoder)? { scoped ?? everywhere.withLock { $0 } }

  /// Refuses a kind of file that only this process could decode, where files are to be decoded elsewhere.
  ///
  /// - Parameter kind: its name in a sentence, such as "recordings of ROS 2".
  package static func refuse(_ kind: String, _ path: String) throws(BackdropError) {
    guard current != nil else { return }
    throw BackdropError(
      .unsupported, "Backdrop does not decode \(kind) in a sandbox", path: path, hint: .leaveSandboxOut)
  }

  /// Has all decoding of this process be done elsewhere from now on.
  package static func use(_ decoder: any IsolatedDecoder) { everywhere.withLock { $0 = decoder } }

  /// The same work for another thread, with this thread's decoder.
  static func inheriting(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    guard let decoder = scoped else { return body }
    return { $scoped.withValue(decoder, operation: body) }
  }

  /// Has what `body` decodes on this thread be done elsewhere.
  package static func with<Result>(
    _ decoder: any IsolatedDecoder, _ body: () throws(BackdropError) -> Result
  ) throws(BackdropError) -> Result {
    let outcome: Swift.Result<Result, BackdropError> = $scoped.withValue(decoder) {
      do throws(BackdropError) { return .success(try body()) } catch { return .failure(error) }
    }
    return try outcome.get()
  }
}

extension Remedy.Code {
  /// Decode without a sandbox.
  public static let leaveSandboxOut = Self("leaveSandboxOut")
}

extension Remedy {
  package static let leaveSandboxOut = Remedy(
    .leaveSandboxOut, "decode without a sandbox, but only files that you trust")
  package static let replaceDamagedFile: Remedy = "the file is damaged, or somebody crafted it to do harm"
}
