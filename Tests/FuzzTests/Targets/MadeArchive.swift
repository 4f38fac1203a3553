/// Writes ZIP archives byte by byte (PKWARE APPNOTE.TXT), valid or with false entries.
public struct MadeArchive {
  /// A file in the archive; its declared values can differ from its content.
  public struct File {
    /// The file's name.
    public var name: String
    /// The bytes in the archive.
    public var packed: [UInt8]
    /// 0 for stored, 8 for deflated.
    public var method = 0
    /// The declared uncompressed size.
    public var byteCount: Int
    /// The declared checksum of the uncompressed content.
    public var checksum: UInt32

    /// A stored file.
    public init(_ name: String, _ bytes: [UInt8]) {
      self.name = name
      packed = bytes
      byteCount = bytes.count
      checksum = MadeArchive.crc32(bytes)
    }
  }

  /// The archive with these files, in order.
  public static func bytes(_ files: [File]) -> [UInt8] {
    var (result, directory): ([UInt8], [UInt8]) = ([], [])
    for file in files {
      let offset = result.count
      let name = Array(file.name.utf8)
      let common = words(
        (20, 2), (0, 2), (file.method, 2), (0, 4), (Int(file.checksum), 4), (file.packed.count, 4), (file.byteCount, 4),
        (name.count, 2), (0, 2))
      result += word(0x0403_4B50, 4) + common + name + file.packed
      directory += words((0x0201_4B50, 4), (20, 2)) + common + [UInt8](repeating: 0, count: 10)
      directory += word(offset, 4) + name
    }
    let start = result.count
    result += directory
    return result
      + words(
        (0x0605_4B50, 4), (0, 4), (files.count, 2), (files.count, 2), (directory.count, 4), (start, 4), (0, 2))
  }

  private static func words(_ values: (value: Int, count: Int)...) -> [UInt8] {
    values.flatMap { word($0.value, $0.count) }
  }

  /// A little-endian number.
  public static func word(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// The bytes of all parts, one after the other.
  public static func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

  /// The checksum of ZIP and PNG (ITU-T V.42), bit by bit.
  public static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var result: UInt32 = .max
    for byte in bytes {
      result ^= UInt32(byte)
      for _ in 0..<8 { result = result & 1 == 1 ? result >> 1 ^ 0xEDB8_8320 : result >> 1 }
    }
    return ~result
  }
}

/// Writes recordings in the format of the Record3D app.
public struct MadeRecord3D {
  /// The size of pictures and depth.
  public var width = 64, height = 48
  /// The size of the depth in the metadata; `nil` for the true one.
  public var toldDepth: (width: Int, height: Int)?
  /// The focal length in the metadata.
  public var focal = 60.0
  /// Further entries of the metadata, as JSON without braces.
  public var more = ""
  /// The files other than the metadata.
  public var files: [MadeArchive.File] = []

  /// A recording without frames.
  public init() {}

  /// Adds a frame: a JPEG file, distances in metres, and confidence if given.
  public mutating func add(_ number: Int, jpeg: [UInt8], metres: [Float], confidence: [UInt8]? = nil) {
    files.append(MadeArchive.File("rgbd/\(number).jpg", jpeg))
    files.append(
      MadeArchive.File("rgbd/\(number).depth", Self.packed(metres.flatMap { MadeArchive.word(Int($0.bitPattern), 4) })))
    if let confidence { files.append(MadeArchive.File("rgbd/\(number).conf", Self.packed(confidence))) }
  }

  /// The LZFSE stream of one stored block.
  public static func packed(_ bytes: [UInt8]) -> [UInt8] {
    Array("bvx-".utf8) + MadeArchive.word(bytes.count, 4) + bytes + Array("bvx$".utf8)
  }

  /// The metadata as JSON.
  public var metadata: String {
    let depth = toldDepth ?? (width, height)
    return """
      {"w": \(width), "h": \(height), "dw": \(depth.width), "dh": \(depth.height), "fps": 30,
      "K": [\(focal), 0, 0, 0, \(focal), 0, \(width / 2), \(height / 2), 1]\(more.isEmpty ? "" : ", " + more)}
      """
  }

  /// The whole file.
  public var bytes: [UInt8] {
    MadeArchive.bytes([MadeArchive.File("metadata", Array(metadata.utf8))] + files)
  }
}
