import BackdropImaging
import Libc

struct ZipDirectory {
  private(set) var entries: [String: ZipArchive.Entry] = [:]
  /// Its start; all files come before it.
  private(set) var offset = 0

  init(_ file: ZipFile) throws(BackdropError) {
    let size = file.byteCount
    let tailCount = min(size, 22 + 0xFFFF)
    guard tailCount >= 22 else { throw Self.missing }
    let tail = try file.read(at: size - tailCount, tailCount)
    guard let end = Self.end(in: tail) else { throw Self.missing }
    var count = tail.number(end + 10, 2)
    var length = tail.number(end + 12, 4)
    offset = tail.number(end + 16, 4)
    let endOffset = size - tailCount + end
    if count == 0xFFFF || length == 0xFFFF_FFFF || offset == 0xFFFF_FFFF,
      endOffset >= 20, let wide = try Self.wide(file, before: endOffset)
    {
      (count, length, offset) = wide
    }
    guard count <= ZipArchive.entryLimit && length <= ZipArchive.directoryLimit else {
      throw BackdropError(
        .overLimit, "the archive lists \(count) files in a directory of \(length) bytes",
        hint: "give an archive of at most \(ZipArchive.entryLimit) files")
    }
    guard offset <= endOffset && length <= endOffset - offset else {
      throw ZipFile.damaged("the directory is missing at its position")
    }
    try readEntries(try file.read(at: offset, length), count: count)
  }

  /// Finds the files one after the other in an archive truncated before its directory; `nil` if its first file has another name.
  init?(unfinished file: ZipFile, beginningWith name: String) throws(BackdropError) {
    let size = file.byteCount
    offset = size
    var at = 0
    while size - at >= 30 && entries.count < ZipArchive.entryLimit {
      let header = try file.read(at: at, 30)
      let nameCount = header.number(26, 2)
      let start = at + 30 + nameCount + header.number(28, 2)
      // The files can be separated only if their lengths come first: stored, without a trailing descriptor.
      guard header.number(0, 4) == 0x0403_4B50, header.number(6, 2) & 9 == 0, header.number(8, 2) == 0,
        header.number(18, 4) == header.number(22, 4), start <= size, header.number(18, 4) <= size - start
      else { break }
      let entry = ZipArchive.Entry(
        name: String(decoding: try file.read(at: at + 30, nameCount), as: UTF8.self), byteCount: header.number(22, 4),
        packedCount: header.number(18, 4), method: 0, flags: UInt16(header.number(6, 2)),
        checksum: UInt32(header.number(14, 4)), headerOffset: at)
      guard at > 0 || entry.name == name else { return nil }
      entries[entry.name] = entry
      at = start + entry.packedCount
    }
    guard !entries.isEmpty else { return nil }
  }

  /// The end record whose comment ends with the file; the last one that does.
  private static func end(in tail: [UInt8]) -> Int? {
    (0...tail.count - 22).last {
      tail[$0] == 0x50 && tail.number($0, 4) == 0x0605_4B50 && tail.number($0 + 20, 2) == tail.count - $0 - 22
    }
  }

  /// The contents of the ZIP64 records, if there are any.
  private static func wide(
    _ file: ZipFile, before end: Int
  ) throws(BackdropError) -> (count: Int, length: Int, offset: Int)? {
    let locator = try file.read(at: end - 20, 20)
    guard locator.number(0, 4) == 0x0706_4B50 else { return nil }
    guard let at = locator.long(8), at <= end - 56 else {
      throw ZipFile.damaged("the directory is missing at its position")
    }
    let record = try file.read(at: at, 56)
    guard record.number(0, 4) == 0x0606_4B50, let count = record.long(32), let length = record.long(40),
      let offset = record.long(48)
    else { throw ZipFile.damaged("the directory is missing at its position") }
    return (count, length, offset)
  }

  private mutating func readEntries(_ bytes: [UInt8], count: Int) throws(BackdropError) {
    var at = 0
    var packed = 0
    // A directory of few bytes has few files, whatever it claims.
    entries.reserveCapacity(min(count, bytes.count / 46))
    for _ in 0..<count {
      guard bytes.count - at >= 46, bytes.number(at, 4) == 0x0201_4B50 else {
        throw ZipFile.damaged("the directory is damaged")
      }
      let lengths = (name: bytes.number(at + 28, 2), extra: bytes.number(at + 30, 2), note: bytes.number(at + 32, 2))
      let next = at + 46 + lengths.name + lengths.extra + lengths.note
      guard next <= bytes.count else { throw ZipFile.damaged("the directory is damaged") }
      let name = String(decoding: bytes[at + 46..<at + 46 + lengths.name], as: UTF8.self)
      var entry = ZipArchive.Entry(
        name: name, byteCount: bytes.number(at + 24, 4), packedCount: bytes.number(at + 20, 4),
        method: UInt16(bytes.number(at + 10, 2)), flags: UInt16(bytes.number(at + 8, 2)),
        checksum: UInt32(bytes.number(at + 16, 4)), headerOffset: bytes.number(at + 42, 4))
      let extra = at + 46 + lengths.name
      try Self.widen(&entry, bytes[extra..<extra + lengths.extra])
      guard entry.headerOffset <= offset - 30, entry.packedCount <= offset else {
        throw ZipFile.damaged("a file lies beyond the archive's end")
      }
      // Files must not overlap: overlapping ones could claim any length.
      packed += 30 + entry.packedCount
      guard packed <= offset else { throw ZipFile.damaged("files overlap") }
      guard entries.updateValue(entry, forKey: name) == nil else {
        throw ZipFile.damaged("two files have the same name")
      }
      at = next
    }
  }

  /// Values that exceed 32 bits (APPNOTE 4.5.3).
  private static func widen(_ entry: inout ZipArchive.Entry, _ extra: ArraySlice<UInt8>) throws(BackdropError) {
    let wanted = [entry.byteCount, entry.packedCount, entry.headerOffset].map { $0 == 0xFFFF_FFFF }
    guard wanted.contains(true) else { return }
    let bytes = Array(extra)
    var at = 0
    while bytes.count - at >= 4 {
      let (kind, length) = (bytes.number(at, 2), bytes.number(at + 2, 2))
      guard length <= bytes.count - at - 4 else { break }
      if kind == 1 {
        var next = at + 4
        func number() -> Int? {
          guard next + 8 <= at + 4 + length else { return nil }
          defer { next += 8 }
          return bytes.long(next)
        }
        if wanted[0] { entry.byteCount = number() ?? .max }
        if wanted[1] { entry.packedCount = number() ?? .max }
        if wanted[2] { entry.headerOffset = number() ?? .max }
        return
      }
      at += 4 + length
    }
  }

  private static var missing: BackdropError {
    BackdropError(
      .badData, "this is not a ZIP archive, or it was cut off: the directory at its end is missing",
      hint: "copy it again from the original")
  }
}

/// An open archive.
final class ZipFile {
  private let descriptor: Int32

  init(_ path: String) throws(BackdropError) { descriptor = try InputFile.open(path, isPlain: true).descriptor }

  deinit { close(descriptor) }

  var byteCount: Int {
    var info = stat()
    return fstat(descriptor, &info) == 0 ? Int(info.st_size) : 0
  }

  /// Exactly `count` bytes from `offset`.
  func read(at offset: Int, _ count: Int) throws(BackdropError) -> [UInt8] {
    let size = byteCount
    guard offset >= 0 && count >= 0 && offset <= size && count <= size - offset else {
      throw Self.damaged("the file was cut off")
    }
    let (bytes, failure) = FileDescriptor(descriptor).read(count, at: offset)
    guard failure == 0 else {
      throw BackdropError(.system, "Backdrop cannot read the file (\(systemReason(failure)))")
    }
    return bytes
  }

  static func damaged(_ what: String) -> BackdropError {
    BackdropError(damaged: "the ZIP archive is damaged (\(what))")
  }
}

extension [UInt8] {
  /// A little-endian number of up to four bytes; the caller has checked the range.
  func number(_ at: Int, _ count: Int) -> Int {
    var result = 0
    for index in 0..<count { result |= Int(self[at + index]) << (8 * index) }
    return result
  }

  /// A little-endian number of eight bytes; `nil` if it is not a valid length.
  func long(_ at: Int) -> Int? {
    let high = number(at + 4, 4)
    return high < 1 << 30 ? high << 32 | number(at, 4) : nil
  }
}
