import BackdropImaging

/// Reads LZFSE streams, and writes uncompressed ones. LZFSE is Apple's compression of general data; all its blocks are supported: `bvx-`
/// (stored), `bvxn` (LZVN), `bvx1` and `bvx2` (finite state entropy), `bvx$` (the end).
///
/// There is no standard; the format is that of Apple's reference implementation (github.com/lzfse/lzfse, 2016), which Debian 12 does not
/// package.
package enum LZFSE {
  /// Decodes a whole stream of `count` decompressed bytes, and allocates no more than that, whatever the stream claims.
  ///
  /// - Throws: `badData` if the stream is damaged, truncated, has data after its end, or is of another length.
  package static func decode(_ bytes: Span<UInt8>, count: Int) throws(BackdropError) -> [UInt8] {
    precondition(count >= 0, "a count is not negative")
    var failure: DecompressionFailure?
    let result = [UInt8](unsafeUninitializedCapacity: count) { target, used in
      failure = bytes.withUnsafeBytes { source in
        do throws(DecompressionFailure) {
          var reader = LZFSEReader(source: source, target: UnsafeMutableBufferPointer(rebasing: target[..<count]))
          try reader.readAll()
          return nil
        } catch { return error }
      }
      used = failure == nil ? count : 0
    }
    guard let failure else { return result }
    throw BackdropError(damaged: "the LZFSE data is damaged (\(failure.reason))")
  }

  /// The decompressed bytes of a file. A file of exactly the expected length that does not begin like a stream is not compressed.
  package static func decodeIfPacked(_ bytes: Span<UInt8>, count: Int) throws(BackdropError) -> [UInt8] {
    let isPlain = bytes.withUnsafeBytes { $0.count == count && !$0.starts(with: "bvx".utf8) }
    return isPlain ? bytes.withUnsafeBytes { Array($0) } : try decode(bytes, count: count)
  }

  /// A stream with one stored block, 12 bytes longer than `bytes`.
  package static func stored(_ bytes: [UInt8]) -> [UInt8] {
    precondition(bytes.count < 1 << 32, "a block has less than 4 GiB")
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 12)
    result += "bvx-".utf8
    withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { result += $0 }
    result += bytes
    result += "bvx$".utf8
    return result
  }
}

/// The reason that compressed data cannot be decoded.
struct DecompressionFailure: Error {
  var reason: String
  init(_ reason: String) { self.reason = reason }

  static let cutOff = DecompressionFailure("it ends too early")
  static let tooLong = DecompressionFailure("it is longer than it claims")
  static let badDistance = DecompressionFailure("it refers to data before its beginning")
  static let badTable = DecompressionFailure("impossible frequencies")
}

/// A stream during decoding. Every offset is checked against both buffers before use.
struct LZFSEReader {
  let source: UnsafeRawBufferPointer
  let target: UnsafeMutableBufferPointer<UInt8>
  var position = 0
  /// The next byte to write.
  var written = 0

  var left: Int { source.count - position }
  var space: Int { target.count - written }

  mutating func readAll() throws(DecompressionFailure) {
    while true {
      guard left >= 4 else { throw .cutOff }
      let magic = word(position)
      switch magic {
      case 0x2478_7662:
        guard written == target.count else { throw .init("it holds \(written) bytes, not \(target.count)") }
        guard left == 4 else { throw .init("data follows its end") }
        return
      case 0x2D78_7662: try readStored()
      case 0x6E78_7662: try readLZVN()
      case 0x3178_7662, 0x3278_7662:
        let header = try LZFSEHeader(self, isPacked: magic == 0x3278_7662)
        try readBlock(header)
      default: throw .init("no block begins at byte \(position)")
      }
    }
  }

  private mutating func readStored() throws(DecompressionFailure) {
    guard left >= 8 else { throw .cutOff }
    let count = Int(word(position + 4))
    position += 8
    guard count <= left else { throw .cutOff }
    guard count <= space else { throw .tooLong }
    copyLiterals(from: position, count)
    position += count
  }

  // MARK: - Bytes

  func word(_ at: Int) -> UInt32 { UInt32(littleEndian: source.loadUnaligned(fromByteOffset: at, as: UInt32.self)) }
  func half(_ at: Int) -> UInt16 { UInt16(littleEndian: source.loadUnaligned(fromByteOffset: at, as: UInt16.self)) }
  func long(_ at: Int) -> UInt64 { UInt64(littleEndian: source.loadUnaligned(fromByteOffset: at, as: UInt64.self)) }

  /// Copies `count` bytes of the source; the caller has checked both sides.
  mutating func copyLiterals(from start: Int, _ count: Int) {
    guard count > 0, let base = target.baseAddress, let from = source.baseAddress else { return }
    UnsafeMutableRawPointer(base + written).copyMemory(from: from + start, byteCount: count)
    written += count
  }

  /// Repeats `count` bytes from `distance` before the end of the output.
  @inline(__always)
  mutating func copyMatch(distance: Int, _ count: Int) throws(DecompressionFailure) {
    guard distance >= 1 && distance <= written else { throw .badDistance }
    guard count <= space, let base = target.baseAddress else { throw .tooLong }
    let to = base + written
    let from = to - distance
    if distance >= 8 && space - count >= 8 {
      // Copy whole words: the excess bytes lie in the remaining space, and later copies overwrite them.
      var done = 0
      while done < count {
        let bits = UnsafeRawPointer(from + done).loadUnaligned(as: UInt64.self)
        UnsafeMutableRawPointer(to + done).storeBytes(of: bits, as: UInt64.self)
        done += 8
      }
    } else {
      for index in 0..<count { to[index] = from[index] }
    }
    written += count
  }
}
