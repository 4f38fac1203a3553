@testable import BackdropImaging

/// Composes ICC profiles tag by tag, including some that no program writes.
struct MadeProfile {
  var version: UInt8 = 2
  var kind = "mntr"
  var space = "RGB "
  var connection = "XYZ "
  var mark = "acsp"
  var tags: [(name: String, content: [UInt8])] = []
  /// Entries of the tag table that replace the correct ones.
  var entries: [String: (offset: UInt32, size: UInt32)] = [:]
  /// Replaces the correct number of tags.
  var tagCount: UInt32?

  static func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
  static func fixed(_ value: Double) -> [UInt8] { word(UInt32(bitPattern: Int32((value * 65536).rounded()))) }
  static func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
    Array("XYZ ".utf8) + word(0) + fixed(x) + fixed(y) + fixed(z)
  }
  static func curve(_ values: [UInt16], count: UInt32? = nil) -> [UInt8] {
    Array("curv".utf8) + word(0) + word(count ?? UInt32(values.count))
      + values.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
  }
  static func function(_ type: UInt8, _ numbers: [Double]) -> [UInt8] {
    Array("para".utf8) + word(0) + [0, type, 0, 0] + numbers.flatMap(fixed)
  }

  /// sRGB's primaries as rounded in Hewlett-Packard's profile (1998), with one curve for all channels.
  init(curve: [UInt8]) {
    tags = [
      ("rXYZ", Self.xyz(0.43607, 0.22249, 0.01392)), ("gXYZ", Self.xyz(0.38515, 0.71687, 0.09708)),
      ("bXYZ", Self.xyz(0.14307, 0.06061, 0.71410)), ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
    ]
  }

  mutating func set(_ name: String, _ content: [UInt8]?) {
    tags.removeAll { $0.name == name }
    if let content { tags.append((name, content)) }
  }

  var bytes: [UInt8] {
    var header = [UInt8](repeating: 0, count: 128)
    func put(_ at: Int, _ bytes: [UInt8]) { header.replaceSubrange(at..<at + bytes.count, with: bytes) }
    put(8, [version, 0x20])
    put(12, Array(kind.utf8))
    put(16, Array(space.utf8))
    put(20, Array(connection.utf8))
    put(36, Array(mark.utf8))
    var (table, data): ([UInt8], [UInt8]) = (Self.word(tagCount ?? UInt32(tags.count)), [])
    for (name, content) in tags {
      let entry = entries[name] ?? (UInt32(132 + 12 * tags.count + data.count), UInt32(content.count))
      table += Array(name.utf8) + Self.word(entry.offset) + Self.word(entry.size)
      data += content
    }
    put(0, Self.word(UInt32(132 + table.count - 4 + data.count)))
    return header + table + data
  }
}
