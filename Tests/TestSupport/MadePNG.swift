/// Parts of PNG files (PNG specification, section 5), which tests join to files that the encoder does not write.
public enum MadePNG {
  /// The first bytes of every file.
  public static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// A big-endian number of four bytes.
  public static func word(_ value: Int) -> [UInt8] { MadeArchive.word(value, 4).reversed() }

  /// The checksum of zlib streams (RFC 1950, section 9).
  public static func adler32(_ bytes: [UInt8]) -> Int {
    var (a, b) = (1, 0)
    for byte in bytes {
      a = (a + Int(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return b << 16 | a
  }

  /// A chunk with its length and checksum.
  public static func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + payload
    return MadeArchive.joined(word(payload.count), body, word(Int(MadeArchive.crc32(body))))
  }
}
