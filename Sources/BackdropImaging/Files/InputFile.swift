import CBackdropKernels
import Libc

// The method below has the same name.
private let posixRead = read

package enum FileKind: Sendable {
  case file, folder, other, absent

  /// Follows symbolic links.
  package init(_ path: String) {
    self =
      switch FileCalls.status(path).map({ $0.st_mode & S_IFMT }) {
      case nil: .absent
      case S_IFREG: .file
      case S_IFDIR: .folder
      default: .other
      }
  }

  /// The same, distinguishing an absent file from one that cannot be examined.
  ///
  /// - Throws: `system` if the path cannot be examined, as on a disk that does not answer.
  package init(of path: String) throws(BackdropError) {
    self.init(path)
    guard self != .absent || errno == ENOENT || errno == ENOTDIR else {
      throw BackdropError(.system, "Backdrop cannot find out what this is (\(systemReason()))", path: path)
    }
  }

  /// The kind of an input: a pipe whose contents are kept (`InputPipes`) counts as a file.
  package init(input path: String) throws(BackdropError) {
    self = InputPipes.serves(path) ? .file : try FileKind(of: path)
  }
}

/// Reads whole files with a limit.
package enum InputFile {
  /// The bytes of `path`.
  ///
  /// - Throws: `wrongArgument` if the file does not exist, `overLimit` if it is longer than `limit` bytes, `badData` if it is empty,
  ///   `system` if it cannot be read.
  package static func read(_ path: String, limit: Int = 1 << 30) throws(BackdropError) -> [UInt8] {
    let result = try read(path, upTo: limit + 1)
    guard result.count <= limit else {
      throw BackdropError(.overLimit, "the file is longer than \(limit) bytes", path: path)
    }
    return result
  }

  /// The first bytes of `path`, at most `count`: enough to identify it.
  ///
  /// - Throws: as ``read(_:limit:)``; `wrongArgument` for a pipe, of which nothing would be left to read, unless pipes are kept
  ///   (`InputPipes`).
  package static func head(_ path: String, count: Int = 4096) throws(BackdropError) -> [UInt8] {
    guard !InputPipes.isPipe(path) || InputPipes.serves(path) else { throw notPlain(path) }
    return try read(path, upTo: count)
  }

  /// The first line of a small file, such as the kernel's, without white space around it; `nil` if it is empty or unreadable.
  package static func firstLine(_ path: String) -> String? {
    do throws(BackdropError) {
      let line = String(decoding: try head(path, count: 128).prefix { $0 != 0x0A }, as: UTF8.self).trimmed
      return line.isEmpty ? nil : line
    } catch {
      // The kernel lists values that cannot be read, such as those of sensors that are off.
      return nil
    }
  }

  private static func notPlain(_ path: String) -> BackdropError {
    BackdropError(
      .wrongArgument, "this is a device, a pipe or a socket, not a file", path: path,
      hint: "save its contents to a file first")
  }

  /// A descriptor of `path` for reading, closed by the caller, and the file's length (0 if it has none, like a device). A pipe that is kept
  /// (`InputPipes`) is like a file.
  ///
  /// - Parameter isPlain: whether it needs random access; other pipes and devices are then refused.
  /// - Throws: `wrongArgument` if the file does not exist, `system` if it cannot be opened.
  package static func open(_ path: String, isPlain: Bool) throws(BackdropError) -> (descriptor: Int32, byteCount: Int) {
    let copy = try InputPipes.copy(of: path)
    switch try FileKind(of: copy ?? path) {
    case .absent: throw BackdropError(.wrongArgument, "no such file", path: path, hint: "check the name")
    case .folder:
      throw BackdropError(.wrongArgument, "this is a folder, not a file", path: path, hint: "name a file in it")
    case .other where isPlain: throw notPlain(path)
    case .file, .other: break
    }
    let descriptor = FileCalls.openFile(copy ?? path, O_RDONLY)
    guard descriptor >= 0 else {
      throw BackdropError(.system, "Backdrop cannot open the file (\(systemReason()))", path: path)
    }
    var info = stat()
    fstat(descriptor, &info)
    return (descriptor, Int(info.st_size))
  }

  private static func read(_ path: String, upTo limit: Int) throws(BackdropError) -> [UInt8] {
    let (descriptor, byteCount) = try open(path, isPlain: false)
    defer { close(descriptor) }
    // One byte more than expected, to detect the end; files without a length come in chunks.
    let first = min(byteCount == 0 ? chunk : byteCount + 1, limit)
    var failure: Int32 = 0
    var result = [UInt8](unsafeUninitializedCapacity: first) { memory, count in
      if let start = memory.baseAddress { bd_prefer_large_pages(start, first) }
      while count < first {
        let read = posixRead(descriptor, memory.baseAddress! + count, first - count)
        if read < 0 && errno == EINTR { continue }
        if read < 0 { failure = errno }
        guard read > 0 else { break }
        count += read
      }
    }
    while failure == 0 && result.count < limit && result.count >= first {
      let space = min(chunk, limit - result.count)
      var read = 0
      let more = [UInt8](unsafeUninitializedCapacity: space) { memory, count in
        repeat { read = posixRead(descriptor, memory.baseAddress!, space) } while read < 0 && errno == EINTR
        if read < 0 { failure = errno }
        count = max(read, 0)
      }
      guard read > 0 else { break }
      result += more
    }
    guard failure == 0 else {
      throw BackdropError(.system, "Backdrop cannot read the file (\(systemReason(failure)))", path: path)
    }
    guard !result.isEmpty else {
      throw BackdropError(.badData, "the file is empty", path: path, hint: "download or copy it again")
    }
    return result
  }

  private static let chunk = 1 << 18
}
