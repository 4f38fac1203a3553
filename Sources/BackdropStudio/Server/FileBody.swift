import BackdropImaging
import Libc
import NIOCore

/// A file on its way to a page, read piece by piece: it may be larger than memory.
final class FileBody: Sendable {
  /// Bytes.
  let count: Int
  private let descriptor: Int32
  private static let reading = Offload("files")

  /// Takes an open file over.
  init(descriptor: Int32, count: Int) { (self.descriptor, self.count) = (descriptor, count) }

  /// - Throws: as `InputFile` for what is no plain file.
  convenience init(_ path: String) throws(BackdropError) {
    let (descriptor, count) = try InputFile.open(path, isPlain: true)
    self.init(descriptor: descriptor, count: count)
  }

  deinit { close(descriptor) }

  /// So many bytes from a place on, fewer at the end.
  ///
  /// - Throws: `system` if it cannot be read, or became shorter.
  func read(from offset: Int, count wanted: Int) throws(BackdropError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(wanted, count - offset))
    var done = 0
    while done < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done, off_t(offset + done))
      }
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else { throw BackdropError(.system, "the studio cannot read the file") }
      done += got
    }
    return bytes
  }

  /// The same, without holding a thread of the server.
  func piece(from offset: Int, count: Int) async throws -> ByteBuffer {
    try await Self.reading.run { ByteBuffer(bytes: try self.read(from: offset, count: count)) }
  }
}
