import Libc

/// Reads lines and blocks from a descriptor, in large pieces. The caller can interrupt the wait for a stalled stream.
package struct DescriptorInput {
  private let descriptor: Int32
  private let isInterrupted: (@Sendable () -> Bool)?
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var start = 0
  private var end = 0
  package private(set) var isAtEnd = false
  /// Whether the stream ended in the middle of a line.
  package private(set) var hasPartialLine = false

  /// The caller closes the descriptor. `isInterrupted` is called during the wait for the stream; without it the wait is unlimited.
  package init(descriptor: Int32, isInterrupted: (@Sendable () -> Bool)? = nil) {
    (self.descriptor, self.isInterrupted) = (descriptor, isInterrupted)
  }

  /// A line without its end; `nil` at the end of the stream, or if it is longer than `limit`.
  package mutating func line(limit: Int) throws(BackdropError) -> String? {
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      if start == end {
        guard try fill() else {
          hasPartialLine = !bytes.isEmpty
          return nil
        }
      }
      let byte = buffer[start]
      start += 1
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// Returns whether all `count` bytes were available.
  package mutating func read(into target: UnsafeMutableRawPointer, count: Int) throws(BackdropError) -> Bool {
    var done = min(count, end - start)
    buffer.withUnsafeBytes { if done > 0 { target.copyMemory(from: $0.baseAddress! + start, byteCount: done) } }
    start += done
    while done < count {
      if count - done < buffer.count {
        guard try fill() else { return false }
        let part = min(count - done, end - start)
        buffer.withUnsafeBytes { (target + done).copyMemory(from: $0.baseAddress! + start, byteCount: part) }
        start += part
        done += part
      } else {
        let part = try readSome(descriptor, target + done, count - done, isInterrupted)
        guard part > 0 else {
          isAtEnd = true
          return false
        }
        done += part
      }
    }
    return true
  }

  /// The next bytes, at most `count`, without consuming them; fewer at the end of the stream.
  ///
  /// - Precondition: `count` is at most 65,536 bytes, the size of a read.
  package mutating func peek(_ count: Int) throws(BackdropError) -> [UInt8] {
    precondition(count <= buffer.count, "more than is read at once")
    if start > 0 {
      buffer.replaceSubrange(0..<end - start, with: Array(buffer[start..<end]))
      (start, end) = (0, end - start)
    }
    while end < count {
      let more = try some(at: end)
      if more == 0 { break }
      end += more
    }
    return Array(buffer[..<min(end, count)])
  }

  /// The rest of the stream.
  ///
  /// - Throws: `overLimit` if that is more than `limit` bytes.
  package mutating func rest(limit: Int) throws(BackdropError) -> [UInt8] {
    var result = Array(buffer[start..<end])
    start = end
    while try fill() {
      guard result.count + end <= limit else {
        throw BackdropError(.overLimit, "the stream is longer than \(limit) bytes")
      }
      result += buffer[..<end]
      start = end
    }
    return result
  }

  private mutating func fill() throws(BackdropError) -> Bool {
    (start, end) = (0, try some(at: 0))
    isAtEnd = end == 0
    return end > 0
  }

  /// Reads into the buffer at an offset; returns the number of bytes.
  private mutating func some(at offset: Int) throws(BackdropError) -> Int {
    let (descriptor, isInterrupted) = (descriptor, isInterrupted)
    return try buffer.withUnsafeMutableBufferPointer { (bytes) throws(BackdropError) in
      // The buffer is never empty.
      try readSome(descriptor, bytes.baseAddress! + offset, bytes.count - offset, isInterrupted)
    }
  }
}

/// Up to `size` bytes; none at the end.
private func readSome(
  _ descriptor: Int32, _ target: UnsafeMutableRawPointer, _ size: Int, _ isInterrupted: (@Sendable () -> Bool)?
) throws(BackdropError) -> Int {
  while true {
    if let isInterrupted {
      // A signal just before the wait does not end it, so the wait is short.
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, 100)
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      if ready <= 0 { continue }
    }
    let count = read(descriptor, target, size)
    if count >= 0 { return count }
    guard errno == EINTR else {
      throw BackdropError(.system, "Backdrop cannot read the stream (\(systemReason()))")
    }
  }
}
