import BackdropImaging
import Libc
import NIOCore

/// A file on its way to a client, read piece by piece: it may be larger than memory.
package final class FileBody: Sendable {
  /// Bytes.
  package let count: Int
  private let descriptor: Int32
  private static let reading = Offload("files")

  /// Takes over an open file.
  package init(descriptor: Int32, count: Int) { (self.descriptor, self.count) = (descriptor, count) }

  /// - Throws: as `InputFile` for anything but a plain file.
  package convenience init(_ path: String) throws(BackdropError) {
    let (descriptor, count) = try InputFile.open(path, isPlain: true)
    self.init(descriptor: descriptor, count: count)
  }

  deinit { close(descriptor) }

  /// Up to `wanted` bytes from an offset, fewer at the end.
  ///
  /// - Throws: `system` if it cannot be read, or became shorter.
  package func read(from offset: Int, count wanted: Int) throws(BackdropError) -> [UInt8] {
    let (bytes, failure) = FileDescriptor(descriptor).read(min(wanted, count - offset), at: offset)
    guard failure == 0 else { throw BackdropError(.system, "Backdrop cannot read the file") }
    return bytes
  }

  /// The same, without blocking a server thread.
  package func piece(from offset: Int, count: Int) async throws -> ByteBuffer {
    try await Self.reading.run { ByteBuffer(bytes: try self.read(from: offset, count: count)) }
  }
}
