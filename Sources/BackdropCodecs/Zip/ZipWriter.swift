import BackdropImaging
import CZlib

/// Writes a ZIP archive (PKWARE APPNOTE.TXT 6.3) file by file, stored, with ZIP64 records if it becomes large.
///
/// The archive appears under its name when ``finish()`` returns; before that, and after any error, no file is left. A growing archive stays
/// open after an error, without the file that did not fit.
///
/// A growing archive must be readable after a crash, and must be able to continue after a full disk. libzip writes nothing before the end,
/// and minizip cannot remove a file.
package final class ZipWriter {
  private let output: OutputFile
  private let descriptor: FileDescriptor
  /// The offset from which ZIP64 records are written; smaller in tests.
  private let wideFrom: Int
  private typealias Entry = (name: [UInt8], checksum: UInt32, byteCount: Int, offset: Int)
  private var entries: [Entry] = []
  private var names: Set<String> = []
  private var position = 0
  /// Whether files can be added.
  package private(set) var isOpen = true

  private init(_ output: OutputFile, _ descriptor: FileDescriptor, wideFrom: Int) {
    (self.output, self.descriptor, self.wideFrom) = (output, descriptor, wideFrom)
  }

  deinit { cancel() }

  /// Creates the file.
  ///
  /// - Throws: `system` if it cannot be created.
  package static func open(_ output: OutputFile, wideFrom: Int = 0xFFFF_FFFF) throws(BackdropError) -> ZipWriter {
    ZipWriter(output, try output.begin(), wideFrom: wideFrom)
  }

  /// Adds a file.
  ///
  /// - Throws: `wrongArgument` for an existing name or a file that is too large, `system` if it cannot be written.
  package func add(_ name: String, _ bytes: [UInt8]) throws(BackdropError) {
    guard isOpen else { throw BackdropError(.wrongArgument, "the archive is already closed", path: output.path) }
    guard name.utf8.count < 65_536, bytes.count < 0xFFFF_FFFF, names.insert(name).inserted else {
      throw BackdropError(
        .wrongArgument, "the archive cannot hold a file named “\(name)”: the name is taken, or the file is too large",
        path: output.path)
    }
    let checksum = bytes.isEmpty ? 0 : bd_crc32(bytes, bytes.count)
    let entry = (name: Array(name.utf8), checksum: checksum, byteCount: bytes.count, offset: position)
    var header: [UInt8] = [0x50, 0x4B, 3, 4]
    Self.describe(entry, extra: 0, version: 20, &header)
    do throws(BackdropError) { try write([header + entry.name, bytes]) } catch {
      names.remove(name)
      throw error
    }
    entries.append(entry)
  }

  /// Writes a file without a directory entry, for readers of a partial archive; its final version is added later.
  package func addDraft(_ name: String, _ bytes: [UInt8]) throws(BackdropError) {
    try add(name, bytes)
    entries.removeLast()
    names.remove(name)
  }

  package var count: Int { entries.count }

  package var byteCount: Int { position }

  /// Removes the last files of a growing archive.
  package func cut(to count: Int) {
    guard isOpen, output.isGrowing, count < entries.count else { return }
    position = entries[count].offset
    for entry in entries[count...] { names.remove(String(decoding: entry.name, as: UTF8.self)) }
    entries.removeSubrange(count...)
    output.cut(to: position)
  }

  /// The path of the archive; moving it into place may change it.
  package var path: String { output.path }
  package var isInPlace: Bool { output.isInPlace }
  /// Keeps an earlier archive of that name.
  package func keepEarlier() { output.keepEarlier() }
  /// Whether it stays open after an error.
  package var isGrowing: Bool { output.isGrowing }

  /// Writes the directory and moves the archive into place.
  ///
  /// - Throws: `system` if it cannot be written or moved.
  package func finish() throws(BackdropError) {
    guard isOpen else { return }
    let start = position
    var directory: [UInt8] = []
    for entry in entries {
      let isFar = entry.offset >= wideFrom
      directory += [0x50, 0x4B, 1, 2, 45, 0]
      Self.describe(entry, extra: isFar ? 12 : 0, version: isFar ? 45 : 20, &directory)
      directory.append((0, 2), (0, 2), (0, 2), (0, 4), (isFar ? 0xFFFF_FFFF : entry.offset, 4))
      directory += entry.name
      if isFar { directory.append((1, 2), (8, 2), (entry.offset, 8)) }
    }
    var end: [UInt8] = []
    let isWide = start >= wideFrom || directory.count >= wideFrom || entries.count >= min(0xFFFF, wideFrom)
    if isWide {
      end += [0x50, 0x4B, 6, 6]
      end.append((44, 8), (45, 2), (45, 2), (0, 8))
      end.append((entries.count, 8), (entries.count, 8), (directory.count, 8), (start, 8))
      end += [0x50, 0x4B, 6, 7]
      end.append((0, 4), (start + directory.count, 8), (1, 4))
    }
    end += [0x50, 0x4B, 5, 6]
    let count = isWide ? 0xFFFF : entries.count
    end.append((0, 4), (count, 2), (count, 2))
    end.append((isWide ? 0xFFFF_FFFF : directory.count, 4), (isWide ? 0xFFFF_FFFF : start, 4), (0, 2))
    try write([directory + end])
    isOpen = false
    try output.commit()
  }

  /// Stops and removes the written part; it does nothing after ``finish()``.
  package func cancel() {
    guard isOpen else { return }
    isOpen = false
    output.discard()
  }

  /// Stops and leaves the written part of a growing archive, without a directory, at its temporary path.
  package func leave() {
    guard isOpen else { return }
    isOpen = false
    output.leave()
  }

  /// The common fields of local headers and the directory; all files have the format's first date.
  private static func describe(_ entry: Entry, extra: Int, version: Int, _ header: inout [UInt8]) {
    // Bit 11: names are UTF-8.
    header.append((version, 2), (1 << 11, 2), (0, 2), (0, 2), (1 << 5 | 1, 2))
    header.append((Int(entry.checksum), 4), (entry.byteCount, 4), (entry.byteCount, 4))
    header.append((entry.name.count, 2), (extra, 2))
  }

  /// Writes all parts; on failure it keeps none of them.
  private func write(_ parts: [[UInt8]]) throws(BackdropError) {
    for bytes in parts {
      let code = descriptor.write(bytes.span)
      guard code == 0 else {
        if output.isGrowing { output.cut(to: position) } else { cancel() }
        throw output.failure(code)
      }
    }
    position += parts.reduce(0) { $0 + $1.count }
  }
}

extension [UInt8] {
  /// Appends little-endian numbers of some bytes each.
  fileprivate mutating func append(_ fields: (value: Int, count: Int)...) {
    for (value, count) in fields {
      for index in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
  }
}
