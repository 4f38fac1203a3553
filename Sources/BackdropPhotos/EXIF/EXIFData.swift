import BackdropImaging

/// EXIF as data: the directories of a TIFF structure with all their values, written with new offsets (TIFF 6.0, section 2; CIPA DC-008,
/// section 4.6).
struct EXIFData: Sendable, Equatable {
  var order: ByteReader.Order
  /// At least one.
  var directories: [EXIFDirectory]
  /// The number of damaged values and directories that reading skipped.
  private(set) var damagedParts = 0

  enum Tag {
    static let exif = 0x8769
    static let gps = 0x8825
    static let interoperability = 0xA005
    static let subdirectories = 0x014A
    static let makerNote = 0x927C
    static let pointers: Set<Int> = [exif, gps, interoperability, subdirectories]
  }

  /// The limits of a structure: more than any camera or program writes.
  private enum Limit {
    static let directories = 64
    static let depth = 4
    static let entries = 1000
    /// Values may overlap, so without a limit a short structure could expand to much data.
    static func bytes(_ count: Int) -> Int { 2 * count + 65_536 }
  }

  init(order: ByteReader.Order = .big) {
    self.order = order
    directories = [EXIFDirectory()]
  }

  var main: EXIFDirectory {
    get { directories[0] }
    set { directories[0] = newValue }
  }

  /// The directory referenced by an entry of the first one; setting creates it.
  subscript(directory pointer: Int) -> EXIFDirectory? {
    get { main[pointer]?.directories.first }
    set {
      guard let newValue else { return main[pointer] = nil }
      main[pointer] = EXIFDirectory.Entry(tag: pointer, type: 4, value: [], directories: [newValue])
    }
  }

  // MARK: - Reading

  /// Reads a structure. It skips damaged values and directories and counts them in ``damagedParts``.
  ///
  /// - Parameter tags: the tags to read of the first directories; `nil` for all.
  /// - Throws: `badData` if there is no header.
  init(_ bytes: [UInt8], keeping tags: Set<Int>? = nil) throws(BackdropError) {
    let tiff = try TIFFReader(bytes)
    order = tiff.order
    directories = []
    var reading = Reading(bytes: bytes, order: order, wanted: tags, bytesLeft: Limit.bytes(bytes.count))
    var next: Int? = tiff.firstDirectory
    while let offset = next, offset != 0, let directory = reading.directory(at: offset, depth: 0, next: &next) {
      directories.append(directory)
    }
    damagedParts = reading.damagedParts
    if directories.isEmpty { directories = [EXIFDirectory()] }
  }

  private struct Reading {
    let bytes: [UInt8]
    let order: ByteReader.Order
    let wanted: Set<Int>?
    var bytesLeft: Int
    var seen: Set<Int> = []
    var damagedParts = 0

    /// Reads a directory and all below it, and sets `next` to the position of the following one. `nil` if it was read before or cannot be
    /// read.
    mutating func directory(at offset: Int, depth: Int, next: inout Int?) -> EXIFDirectory? {
      next = nil
      guard depth < Limit.depth, seen.count < Limit.directories, seen.insert(offset).inserted else {
        damagedParts += 1
        return nil
      }
      var result = EXIFDirectory()
      do throws(BackdropError) {
        var reader = ByteReader(bytes, order: order)
        try reader.seek(to: offset)
        let count = try reader.uint16()
        guard count <= Limit.entries else {
          throw BackdropError(.overLimit, "the EXIF data has \(count) entries, too many")
        }
        var known: Set<Int> = []
        for _ in 0..<count {
          var entry = try reader.part(12)
          let tag = try entry.uint16()
          if depth == 0, let wanted, !wanted.contains(tag) { continue }
          guard known.insert(tag).inserted, let value = try value(tag, &entry, depth) else {
            damagedParts += 1
            continue
          }
          result.entries.append(value)
        }
        if reader.left >= 4 { next = try reader.uint32() }
      } catch {
        damagedParts += 1
        if result.entries.isEmpty { return nil }
      }
      return result
    }

    /// The rest of an entry; `nil` if its value is outside the structure, or too large.
    private mutating func value(
      _ tag: Int, _ reader: inout ByteReader, _ depth: Int
    ) throws(BackdropError) -> EXIFDirectory.Entry? {
      let (type, count) = (try reader.uint16(), try reader.uint32())
      guard let size = EXIFDirectory.Entry.size(type) else { return nil }
      let length = count * size
      let start = length <= 4 ? reader.position : try reader.uint32()
      guard length <= bytes.count, start <= bytes.count - length, length <= bytesLeft else { return nil }
      bytesLeft -= length
      let content = start..<start + length
      guard Tag.pointers.contains(tag), type == 4 || type == 13 else {
        return EXIFDirectory.Entry(tag: tag, type: type, value: Array(bytes[content]), offset: length > 4 ? start : nil)
      }
      var offsets = ByteReader(bytes, in: content, order: order)
      var found: [EXIFDirectory] = []
      for _ in 0..<min(count, Limit.directories) {
        var next: Int?
        if let directory = directory(at: try offsets.uint32(), depth: depth + 1, next: &next) {
          found.append(directory)
        }
      }
      return found.isEmpty ? nil : EXIFDirectory.Entry(tag: tag, type: type, value: [], directories: found)
    }
  }

  // MARK: - Writing

  /// The encoded structure. A maker note with a ``EXIFDirectory/Entry/offset`` keeps its position, because its offsets usually count from
  /// the structure's start.
  var encoded: [UInt8] {
    var pinned: Range<Int>?
    if let note = self[directory: Tag.exif]?[Tag.makerNote], let offset = note.offset, offset >= 8 {
      pinned = offset..<offset + note.value.count
    }
    var writing = Writing(writer: ByteWriter(order: order), pinned: pinned)
    writing.writer.data((order == .little ? "II" : "MM").utf8)
    writing.writer.uint16(42)
    writing.writer.uint32(0)
    writing.chain(directories)
    return writing.writer.bytes
  }

  private struct Writing {
    var writer: ByteWriter
    let pinned: Range<Int>?
    var end = 8

    /// Writes consecutive directories, starting with the structure's first.
    mutating func chain(_ directories: [EXIFDirectory]) {
      var link = 4
      for directory in directories {
        let offset = self.directory(directory)
        writer.replace(at: link, UInt64(offset), size: 4)
        link = offset + 2 + 12 * directory.entries.count
      }
    }

    /// Reserves `count` bytes at an even position, without touching pinned ones.
    private mutating func reserve(_ count: Int) -> Int {
      var start = end + end % 2
      if let pinned, start < pinned.upperBound, start + count > pinned.lowerBound {
        start = pinned.upperBound + pinned.upperBound % 2
      }
      end = start + count
      fill(to: end)
      return start
    }

    private mutating func fill(to count: Int) {
      if writer.bytes.count < count { writer.data([UInt8](repeating: 0, count: count - writer.bytes.count)) }
    }

    /// Writes a directory with all below it and returns its position.
    private mutating func directory(_ directory: EXIFDirectory) -> Int {
      let entries = directory.entries.sorted { $0.tag < $1.tag }
      let start = reserve(2 + 12 * entries.count + 4)
      writer.replace(at: start, UInt64(entries.count), size: 2)
      for (index, entry) in entries.enumerated() {
        let offset = start + 2 + 12 * index
        writer.replace(at: offset, UInt64(entry.tag), size: 2)
        writer.replace(at: offset + 2, UInt64(entry.type), size: 2)
        writer.replace(at: offset + 4, UInt64(entry.count), size: 4)
        if !entry.directories.isEmpty {
          let offsets = entry.directories.map { self.directory($0) }
          let list = offsets.count == 1 ? offset + 8 : reserve(4 * offsets.count)
          if offsets.count > 1 { writer.replace(at: offset + 8, UInt64(list), size: 4) }
          for (number, target) in offsets.enumerated() {
            writer.replace(at: list + 4 * number, UInt64(target), size: 4)
          }
        } else if entry.value.count <= 4 {
          writer.replace(at: offset + 8, with: entry.value)
        } else {
          let isPinned =
            entry.tag == Tag.makerNote && entry.offset == pinned?.lowerBound && entry.value.count == pinned?.count
          let target = isPinned ? entry.offset ?? 0 : reserve(entry.value.count)
          writer.replace(at: offset + 8, UInt64(target), size: 4)
          fill(to: target + entry.value.count)
          writer.replace(at: target, with: entry.value)
        }
      }
      return start
    }
  }
}
