import BackdropImaging
import CZlib

/// Reads the files in a ZIP archive (PKWARE APPNOTE.TXT 6.3, with ZIP64), stored or deflated, one at a time and only on request; it never
/// extracts to disk.
///
/// The archive's own directory lists the files. The caller limits the size of a file, which is checked against the directory before memory
/// is allocated. The result must match the directory in length and CRC-32, so an archive that extracts to more than it states is rejected.
package final class ZipArchive {
  package struct Entry: Sendable, Equatable {
    /// Its name, folders included.
    package var name: String
    /// Its extracted size in bytes, from the directory.
    package var byteCount: Int
    var packedCount: Int
    var method: UInt16
    var flags: UInt16
    var checksum: UInt32
    var headerOffset: Int
  }

  package let path: String
  package let entries: [String: Entry]
  private let file: ZipFile
  private let dataEnd: Int

  /// The maximum number of files in an archive, and of bytes in its directory.
  static let entryLimit = 1_000_000
  static let directoryLimit = 128 << 20

  private init(_ path: String, _ file: ZipFile, _ directory: ZipDirectory) {
    (self.path, self.file, entries, dataEnd) = (path, file, directory.entries, directory.offset)
  }

  /// Opens an archive and reads its directory.
  ///
  /// - Throws: `wrongArgument` if the file does not exist, `badData` if it is not a ZIP archive or its directory is damaged or truncated,
  ///   `overLimit` for a directory of more than a million files.
  package static func open(_ path: String) throws(BackdropError) -> ZipArchive {
    let file = try ZipFile(path)
    do throws(BackdropError) { return ZipArchive(path, file, try ZipDirectory(file)) } catch { throw error.at(path) }
  }

  /// Opens an archive that was truncated before its directory; `nil` unless it begins with a file of that name, and no file is compressed.
  package static func openUnfinished(_ path: String, beginningWith name: String) throws(BackdropError) -> ZipArchive? {
    let file = try ZipFile(path)
    do throws(BackdropError) {
      return try ZipDirectory(unfinished: file, beginningWith: name).map { ZipArchive(path, file, $0) }
    } catch { throw error.at(path) }
  }

  /// Unpacks a file.
  ///
  /// - Throws: `overLimit` if it is longer than `limit`, `badData` if it does not match the directory, `unsupported` if it is encrypted or
  ///   compressed with another method; with the file's name.
  package func read(_ entry: Entry, limit: Int) throws(BackdropError) -> [UInt8] {
    do throws(BackdropError) {
      return try unpack(entry, limit: limit)
    } catch {
      var named = error
      named.message = "\(error.message), in the archive's \(entry.name)"
      throw named.at(path)
    }
  }

  private func unpack(_ entry: Entry, limit: Int) throws(BackdropError) -> [UInt8] {
    guard entry.byteCount <= limit else {
      throw BackdropError(
        .overLimit, "the file unpacks to \(entry.byteCount) bytes, over the limit of \(limit)",
        hint: "check where this file comes from")
    }
    guard entry.flags & 1 == 0 else {
      throw BackdropError(
        .unsupported, "the file in the archive is encrypted", hint: "unpack and pack it again without a password")
    }
    let header = try file.read(at: entry.headerOffset, 30)
    guard header.number(0, 4) == 0x0403_4B50 else { throw ZipFile.damaged("a file is missing at its position") }
    let start = entry.headerOffset + 30 + header.number(26, 2) + header.number(28, 2)
    guard start <= dataEnd && entry.packedCount <= dataEnd - start else {
      throw ZipFile.damaged("a file extends beyond the archive's end")
    }
    let bytes: [UInt8]
    switch entry.method {
    case 0:
      guard entry.packedCount == entry.byteCount else { throw ZipFile.damaged("a file has two lengths") }
      bytes = try file.read(at: start, entry.byteCount)
    case 8:
      // A deflated byte produces at most 1032 (RFC 1951: 258 bytes of at least two bits).
      guard entry.byteCount / 1032 <= entry.packedCount else { throw ZipFile.damaged("a file has impossible lengths") }
      let packed = try file.read(at: start, entry.packedCount)
      guard let unpacked = try Inflating(count: entry.byteCount).result(packed.span) else {
        throw ZipFile.damaged("a file does not unpack to its \(entry.byteCount) bytes")
      }
      bytes = unpacked
    default:
      throw BackdropError(
        .unsupported, "the file is packed with method \(entry.method), which Backdrop does not read",
        hint: "pack it again with the method store or deflate")
    }
    guard bytes.isEmpty || bd_crc32(bytes, bytes.count) == entry.checksum else {
      throw ZipFile.damaged("the checksum is wrong")
    }
    return bytes
  }
}
