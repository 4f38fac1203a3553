import Libc

// The method below has the same name.
private let posixWrite = write

/// The descriptor of an open file.
package struct FileDescriptor {
  /// Its number.
  package var number: Int32

  package init(_ number: Int32) { self.number = number }

  /// Writes all bytes, however many calls that takes.
  ///
  /// - Returns: 0, or the `errno` of the call that failed.
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
}
