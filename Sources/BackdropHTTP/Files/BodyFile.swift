import BackdropImaging
import Libc
import Synchronization

import struct NIOCore.ByteBuffer

/// The body of a request as a file of a drop folder, which is removed with this object. A body therefore takes no memory.
package final class BodyFile: Sendable {
  package let path: String
  private let folder: DropFolder
  private let reservation: UploadReservation
  private let state = Mutex((descriptor: Int32(-1), count: 0))
  private static let writing = Offload("bodies")

  /// Creates an empty body, whose file appears with its first bytes; they count for an account's share of the folder's quota.
  package init(in folder: DropFolder, of account: String) throws(BackdropError) {
    self.folder = folder
    path = folder.name(fileExtension: "")
    reservation = try folder.quota.reservation(for: 0, of: account)
  }

  /// Creates a body of given bytes.
  package convenience init(in folder: DropFolder, of account: String, _ bytes: [UInt8]) throws(BackdropError) {
    try self.init(in: folder, of: account)
    try write(bytes)
  }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    guard descriptor >= 0 else { return }
    close(descriptor)
    folder.remove(path)
  }

  /// The number of its bytes.
  package var count: Int { state.withLock { $0.count } }

  /// Appends bytes, without blocking a server thread.
  ///
  /// - Throws: `overLimit` if the account's share is used up, `system` if the file cannot be written.
  package func append(_ bytes: ByteBuffer) async throws {
    try await Self.writing.run { try self.write(Array(buffer: bytes)) }
  }

  private func write(_ bytes: [UInt8]) throws(BackdropError) {
    try reservation.grow(by: bytes.count)
    let failure = state.withLock { state -> Int32 in
      if state.descriptor < 0 {
        state.descriptor = FileCalls.openFile(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        guard state.descriptor >= 0 else { return errno }
      }
      let failure = FileDescriptor(state.descriptor).write(bytes.span)
      if failure == 0 { state.count += bytes.count }
      return failure
    }
    guard failure == 0 else { throw DropFolder.cannotStore }
  }

  /// Reads some of its bytes.
  package func bytes(in range: Range<Int>) throws(BackdropError) -> [UInt8] {
    let (bytes, failure) = FileDescriptor(state.withLock { $0.descriptor }).read(range.count, at: range.lowerBound)
    guard failure == 0 else { throw BackdropError(.system, "Backdrop cannot read the upload") }
    return bytes
  }

  /// Calls a function with all bytes, which stay in the file.
  package func withBytes<Result>(
    _ body: (Span<UInt8>) throws(BackdropError) -> Result
  ) throws(BackdropError) -> Result {
    let (descriptor, count) = state.withLock { ($0.descriptor, $0.count) }
    guard count > 0 else { return try body([UInt8]().span) }
    guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
      throw BackdropError(.system, "Backdrop cannot read the upload")
    }
    defer { munmap(start, count) }
    let bytes = UnsafeBufferPointer(start: UnsafePointer(start.assumingMemoryBound(to: UInt8.self)), count: count)
    return try body(bytes.span)
  }
}
