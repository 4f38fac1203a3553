import Libc

/// A function that opens a file from which a reader then takes one part after another: a video, a recording with depth.
package protocol SourceOpening: IsolatedFunction {
  associatedtype Source
  var path: String { get }
  /// The length of the file in bytes, for the process that gets only a descriptor of it.
  var byteCount: Int { get set }
  /// Checks the file before another process gets it.
  ///
  /// - Throws: `wrongArgument` if it does not exist, `badData` if it is empty, `unsupported` if no library can read it.
  func check() throws(BackdropError)
  /// Opens the file in this process.
  func opened() throws(BackdropError) -> Source
  /// The source that a process reads, which gave `heading` for this function.
  func source(in decoder: any IsolatedDecoder, _ heading: Answer) throws(BackdropError) -> Source
}

extension SourceOpening {
  /// Opens the file where files are decoded now: in a process of its own, which can read no other file, or in this one.
  ///
  /// - Throws: as ``check()`` and ``opened()``; `system` if no process can be started.
  package func source() throws(BackdropError) -> Source {
    guard let isolation = DecoderIsolation.current else { return try opened() }
    try check()
    let (descriptor, byteCount) = try InputFile.open(path, isPlain: true)
    defer { close(descriptor) }
    let decoder = try isolation.decoder(reading: descriptor)
    var opening = self
    opening.byteCount = byteCount
    return try source(in: decoder, opening.answer(of: decoder, for: path))
  }
}

extension IsolatedFunction {
  /// The answer about an open file, with its name in errors.
  package func answer(of decoder: any IsolatedDecoder, for path: String) throws(BackdropError) -> Answer {
    let none: [UInt8] = []
    do throws(BackdropError) { return try answer(of: decoder, none.span) } catch { throw error.at(path) }
  }
}
