import BackdropImaging

/// Reads LZ4 frames (lz4 project, "LZ4 Frame Format" 1.6 and "LZ4 Block Format"), used in ROS bags.
///
/// Verifies the content checksum if there is one. Frames with a dictionary are not supported.
package enum LZ4 {
  /// Decodes a frame of `count` decompressed bytes.
  ///
  /// Allocates no more than `count` bytes, whatever the frame claims.
  /// - Throws: `badData` if the frame is damaged, truncated, of another length, or needs a dictionary.
  package static func decode(_ bytes: Span<UInt8>, count: Int) throws(BackdropError) -> [UInt8] {
    try decompressed(bytes, count: count, "LZ4") { source, target throws(DecompressionFailure) in
      var frame = LZ4Frame(source, to: UnsafeMutableRawBufferPointer(target))
      try frame.decode()
    }
  }
}

/// A frame during decoding. Every offset is checked against both buffers before use.
struct LZ4Frame {
  private let source: UnsafeRawBufferPointer
  private let target: UnsafeMutableRawBufferPointer
  private var position = 0
  private var written = 0

  init(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) {
    (self.source, self.target) = (source, target)
  }

  mutating func decode() throws(DecompressionFailure) {
    guard try word() == 0x184D_2204 else { throw .init("it does not begin as LZ4 frames do") }
    let (flags, _) = (try byte(), try byte())
    guard flags >> 6 == 1 else { throw .init("version \(flags >> 6)") }
    guard flags & 1 == 0 else { throw .init("it needs a dictionary") }
    if flags & 8 != 0 {
      let low = try word()
      guard try Int(low) | Int(word()) << 32 == target.count else { throw .init("it has another length") }
    }
    // The header's checksum.
    _ = try byte()
    while true {
      let size = try word()
      if size == 0 { break }
      let count = Int(size & 0x7FFF_FFFF)
      guard count <= source.count - position else { throw .cutOff }
      if size >> 31 == 1 {
        try copy(count)
      } else {
        try block(end: position + count)
      }
      if flags & 16 != 0 { _ = try word() }
    }
    guard written == target.count else { throw .init("it holds \(written) bytes, not \(target.count)") }
    if flags & 4 != 0 {
      guard try word() == XXHash32.hash(UnsafeRawBufferPointer(target)) else { throw .init("its checksum is wrong") }
    }
  }

  private mutating func byte() throws(DecompressionFailure) -> UInt8 {
    guard position < source.count else { throw .cutOff }
    position += 1
    return source[position - 1]
  }

  private mutating func word() throws(DecompressionFailure) -> UInt32 {
    guard source.count - position >= 4 else { throw .cutOff }
    position += 4
    return UInt32(littleEndian: source.loadUnaligned(fromByteOffset: position - 4, as: UInt32.self))
  }

  /// Copies uncompressed bytes.
  @inline(__always) private mutating func copy(_ count: Int) throws(DecompressionFailure) {
    guard count <= source.count - position else { throw .cutOff }
    guard count <= target.count - written else { throw .tooLong }
    guard count > 0, let to = target.baseAddress, let from = source.baseAddress else { return }
    if count <= Self.step, source.count - position >= Self.step, target.count - written >= Self.step {
      Self.copyStep(from + position, to + written)
    } else {
      (to + written).copyMemory(from: from + position, byteCount: count)
    }
    position += count
    written += count
  }

  /// A length: four bits, and further bytes if all four are ones.
  @inline(__always) private mutating func length(_ nibble: UInt8, end: Int) throws(DecompressionFailure) -> Int {
    var result = Int(nibble)
    guard nibble == 15 else { return result }
    while position < end {
      let more = source[position]
      position += 1
      result += Int(more)
      if more != 255 { return result }
    }
    throw .cutOff
  }

  private mutating func block(end: Int) throws(DecompressionFailure) {
    while position < end {
      let token = source[position]
      position += 1
      let literals = try length(token >> 4, end: end)
      guard literals <= end - position else { throw .cutOff }
      try copy(literals)
      // The last sequence has only literals.
      if position == end { return }
      guard end - position >= 2 else { throw .cutOff }
      let distance = Int(source[position]) | Int(source[position + 1]) << 8
      position += 2
      try match(distance, try length(token & 15, end: end) + 4)
    }
  }

  /// Repeats output from `distance` before its end.
  @inline(__always) private mutating func match(_ distance: Int, _ count: Int) throws(DecompressionFailure) {
    guard distance > 0 && distance <= written else { throw .badDistance }
    guard count <= target.count - written, let base = target.baseAddress else { throw .tooLong }
    let to = base + written
    var done = 0
    if distance >= Self.step, target.count - written >= count + Self.step {
      while done < count {
        Self.copyStep(to + done - distance, to + done)
        done += Self.step
      }
    } else {
      // A match that overlaps itself needs copies of growing size.
      while done < count {
        let part = min(count - done, distance + done)
        (to + done).copyMemory(from: to - distance, byteCount: part)
        done += part
      }
    }
    written += count
  }

  /// The number of bytes of a copy step. Most copies are short, and a length that the compiler knows is fast. Where there is space, later
  /// copies overwrite the excess.
  private static var step: Int { 16 }

  @inline(__always) private static func copyStep(_ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer) {
    to.storeBytes(of: from.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
  }
}

/// The hash of LZ4's checksums (xxHash specification 0.1.1, XXH32), with the seed 0.
enum XXHash32 {
  private static let p1: UInt32 = 2_654_435_761, p2: UInt32 = 2_246_822_519, p3: UInt32 = 3_266_489_917,
    p4: UInt32 = 668_265_263, p5: UInt32 = 374_761_393

  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var position = 0
    func word(_ at: Int) -> UInt32 { UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)) }
    var result: UInt32
    if bytes.count >= 16 {
      var (a, b, c, d) = (p1 &+ p2, p2, UInt32(0), 0 &- p1)
      while position + 16 <= bytes.count {
        a = round(a, word(position))
        b = round(b, word(position + 4))
        c = round(c, word(position + 8))
        d = round(d, word(position + 12))
        position += 16
      }
      result = rotated(a, 1) &+ rotated(b, 7) &+ rotated(c, 12) &+ rotated(d, 18)
    } else {
      result = p5
    }
    result = result &+ UInt32(truncatingIfNeeded: bytes.count)
    while position + 4 <= bytes.count {
      result = rotated(result &+ word(position) &* p3, 17) &* p4
      position += 4
    }
    while position < bytes.count {
      result = rotated(result &+ UInt32(bytes[position]) &* p5, 11) &* p1
      position += 1
    }
    result = (result ^ result >> 15) &* p2
    result = (result ^ result >> 13) &* p3
    return result ^ result >> 16
  }

  @inline(__always)
  private static func round(_ value: UInt32, _ word: UInt32) -> UInt32 { rotated(value &+ word &* p2, 13) &* p1 }

  @inline(__always)
  private static func rotated(_ value: UInt32, _ count: UInt32) -> UInt32 { value << count | value >> (32 - count) }
}
