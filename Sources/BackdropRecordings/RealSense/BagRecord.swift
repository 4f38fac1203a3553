import BackdropCodecs
import BackdropImaging

/// A record of a ROS bag: its fields and the position of its data.
struct BagRecord {
  private let fields: [String: [UInt8]]
  let operation: UInt8
  let dataStart: Int
  let dataCount: Int
  /// The data, for a record in memory.
  private(set) var data: [UInt8]?

  /// The start of the next record.
  var next: Int { dataStart + dataCount }

  /// Parses a header, with the lengths before and after it, that lies at `offset` in a file of `byteCount` bytes; `nil` if the header is
  /// damaged or its data is truncated.
  init?(head: [UInt8], at offset: Int, byteCount: Int) {
    guard head.count >= 8 else { return nil }
    fields = Self.fields(Array(head[4..<head.count - 4]))
    guard let operation = fields["op"]?.first else { return nil }
    self.operation = operation
    dataStart = offset + head.count
    dataCount = Int(head.word32(head.count - 4))
    guard dataCount <= byteCount - dataStart else { return nil }
  }

  /// Parses a record in a chunk; `nil` at the end of the chunk.
  init?(_ content: [UInt8], at offset: Int, byteCount: Int) {
    guard offset >= 0, offset + 8 <= content.count else { return nil }
    let count = Int(content.word32(offset))
    guard count <= content.count - offset - 8 else { return nil }
    self.init(head: Array(content[offset..<offset + count + 8]), at: offset, byteCount: content.count)
    // Only a topic keeps its data; that of other records is read in place.
    if operation == 7 { data = Array(content[dataStart..<next]) }
  }

  /// Parses fields, each a length and `name=value` of that length.
  static func fields(_ bytes: [UInt8]) -> [String: [UInt8]] {
    var result: [String: [UInt8]] = [:]
    var offset = 0
    while offset + 4 <= bytes.count {
      let count = Int(bytes.word32(offset))
      guard count <= bytes.count - offset - 4 else { break }
      let field = bytes[offset + 4..<offset + 4 + count]
      if let sign = field.firstIndex(of: UInt8(ascii: "=")) {
        result[String(decoding: field[..<sign], as: UTF8.self)] = Array(field[(sign + 1)...])
      }
      offset += 4 + count
    }
    return result
  }

  func word(_ name: String) -> UInt32? { fields[name].flatMap { $0.count == 4 ? $0.word32(0) : nil } }
  func long(_ name: String) -> UInt64? { fields[name].flatMap { $0.count == 8 ? $0.word64(0) : nil } }
  func text(_ name: String) -> String? { fields[name].map { String(decoding: $0, as: UTF8.self) } }
}

/// The compression of a chunk.
enum BagPacking {
  case none, lz4, bz2

  init(_ name: String?) throws(BackdropError) {
    switch name {
    case "none", nil: self = .none
    case "lz4": self = .lz4
    case "bz2": self = .bz2
    case let other?:
      throw BackdropError(
        .unsupported, "Backdrop does not read chunks with '\(other.prefix(20))' compression",
        hint: "decompress it: rosbag decompress FILE.bag")
    }
  }

  /// Decompresses a chunk to `count` bytes.
  func unpack(_ packed: [UInt8], count: Int) throws(BackdropError) -> [UInt8] {
    switch self {
    case .none:
      guard packed.count == count else { throw BackdropError(.badData, "a chunk does not have the length it claims") }
      return packed
    case .lz4:
      // In LZ4 no byte expands to more than 255.
      guard count / 255 <= packed.count else { throw BackdropError(.badData, "a chunk has an impossible length") }
      return try LZ4.decode(packed.span, count: count)
    case .bz2: return try BZip2.decode(packed, count: count)
    }
  }
}

/// The library of bzip2, opened when first needed.
enum BZip2 {
  private typealias Unpack =
    @convention(c) (
      UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<UInt32>?, UnsafeMutablePointer<CChar>?, UInt32, Int32, Int32
    ) -> Int32

  private static let function = SharedLibrary.function(
    "BZ2_bzBuffToBuffDecompress", ofSystem: ["libbz2.so.1.0", "libbz2.so.1"], as: Unpack.self,
    missing: BackdropError(
      .unsupported, "this file needs the library bzip2, and it is not installed",
      hint: "install it: sudo apt install libbz2-1.0"))

  /// Decompresses to `count` bytes.
  ///
  /// - Throws: `badData` for a damaged stream; `unsupported` without the library.
  static func decode(_ packed: [UInt8], count: Int) throws(BackdropError) -> [UInt8] {
    let unpack = try function.get()
    var (input, status, length) = (packed, Int32(-1), UInt32(count))
    let result = [UInt8](unsafeUninitializedCapacity: count) { target, used in
      input.withUnsafeMutableBytes { source in
        status = unpack(
          UnsafeMutableRawPointer(target.baseAddress)?.assumingMemoryBound(to: CChar.self), &length,
          source.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(source.count), 0, 0)
      }
      used = status == 0 && Int(length) == count ? count : 0
    }
    guard status == 0 && result.count == count else {
      throw BackdropError(
        .badData, "a chunk with bzip2 compression is damaged", hint: "copy it again from the original")
    }
    return result
  }
}

/// The library of Zstandard, opened when first needed.
enum ZStandard {
  private typealias Unpack =
    @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeRawPointer?, Int) -> Int

  private static let function = SharedLibrary.function(
    "ZSTD_decompress", ofSystem: ["libzstd.so.1"], as: Unpack.self,
    missing: BackdropError(
      .unsupported, "the library Zstandard, which unpacks this file, is not installed",
      hint: "install it: sudo apt install libzstd1"))

  /// Decompresses to `count` bytes.
  ///
  /// - Throws: `badData` for a damaged stream; `unsupported` without the library.
  static func decode(_ packed: [UInt8], count: Int) throws(BackdropError) -> [UInt8] {
    let unpack = try function.get()
    let result = [UInt8](unsafeUninitializedCapacity: count) { target, used in
      used = packed.withUnsafeBytes { unpack(target.baseAddress, count, $0.baseAddress, $0.count) } == count ? count : 0
    }
    guard result.count == count else {
      throw BackdropError(
        .badData, "a picture packed by Zstandard is damaged", hint: "copy it again from where it came")
    }
    return result
  }
}
