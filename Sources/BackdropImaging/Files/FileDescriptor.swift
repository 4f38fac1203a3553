import Libc

// The method below has the same name.
private let posixWrite = write

package struct FileDescriptor {
  package var number: Int32

  package init(_ number: Int32) { self.number = number }

  /// Writes all bytes, with any number of calls; returns 0, or the `errno` of the failed call.
  package func write(_ bytes: Span<UInt8>) -> Int32 {
    bytes.withUnsafeBytes { all -> Int32 in
      var rest = all
      while !rest.isEmpty {
        let count = posixWrite(number, rest.baseAddress, rest.count)
        if count < 0 {
          if errno == EINTR { continue }
          return errno
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return 0
    }
  }

  /// Reads `count` bytes at a position in the file, with any number of calls, without moving the file offset; returns the available bytes
  /// and 0, or the `errno` of the failed call: `EIO` if the file ends earlier.
  package func read(_ count: Int, at offset: Int) -> (bytes: [UInt8], failure: Int32) {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, done in
      while done < count {
        let got = pread(number, target.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
        if got < 0 && errno == EINTR { continue }
        guard got > 0 else {
          failure = got < 0 ? errno : EIO
          break
        }
        done += got
      }
    }
    return (bytes, failure)
  }
}
