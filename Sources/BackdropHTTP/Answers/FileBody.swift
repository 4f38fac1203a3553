import BackdropImaging
import Libc
import NIOCore

/// A file as the body of an answer. It is read piece by piece, because it may be larger than memory.
package final class FileBody: Sendable {
  /// The size in bytes.
  package let count: Int
  private let descriptor: Int32
  private static let reading = Offload("files")

  /// - Throws: the errors of `InputFile`, also for anything but a regular file.
  package init(_ path: String) throws(BackdropError) {
    (descriptor, count) = try InputFile.open(path, isPlain: true)
  }

  deinit { close(descriptor) }

  /// Reads up to `wanted` bytes from an offset, fewer at the end.
  package func read(from offset: Int, count wanted: Int) throws(BackdropError) -> [UInt8] {
    let (bytes, failure) = FileDescriptor(descriptor).read(min(wanted, count - offset), at: offset)
    guard failure == 0 else { throw BackdropError(.system, "Backdrop cannot read the file") }
    return bytes
  }

  /// Reads bytes without blocking a server thread.
  package func piece(from offset: Int, count: Int) async throws -> ByteBuffer {
    try await Self.reading.run { ByteBuffer(bytes: try self.read(from: offset, count: count)) }
  }
}
