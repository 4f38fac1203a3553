import BackdropHTTP
import BackdropImaging
import Synchronization

struct SentFile: Sendable {
  var body: BodyFile, range: Range<Int>
  /// The extension of its name; empty without one.
  var fileExtension: String
}

extension SentFile {
  init(_ part: MultipartForm.Part, of body: BodyFile) {
    self.init(body: body, range: part.range, fileExtension: FileName(part.fileName ?? "").fileExtension)
  }
}

extension MultipartForm {
  init(_ body: BodyFile, boundary: String) throws(BackdropError) {
    self = try body.withBytes { bytes throws(BackdropError) in try MultipartForm(bytes, boundary: boundary) }
  }
}

/// The files of one request; they are removed with it.
final class RequestFiles: Sendable {
  private let folder: DropFolder
  private let paths = Mutex<[String]>([])
  private let body = Mutex<BodyFile?>(nil)
  /// The maximum number of bytes that are copied at once.
  private static let piece = 1 << 20

  init(_ folder: DropFolder) { self.folder = folder }

  deinit {
    for path in paths.withLock({ $0 }) { folder.remove(path) }
  }

  /// The path of a sent file: that of the body itself, or of a copy of its part that only this user can read.
  func write(_ file: SentFile) throws(BackdropError) -> String {
    if file.range == 0..<file.body.count {
      body.withLock { $0 = file.body }
      return file.body.path
    }
    let path = name(fileExtension: file.fileExtension)
    let output = try OutputFile(path, overwrite: false, permissions: 0o600)
    let target = try output.begin()
    for start in stride(from: file.range.lowerBound, to: file.range.upperBound, by: Self.piece) {
      let bytes = try file.body.bytes(in: start..<min(start + Self.piece, file.range.upperBound))
      guard target.write(bytes.span) == 0 else { throw DropFolder.cannotStore }
    }
    try output.commit()
    return path
  }

  /// A path for a file to write.
  func name(fileExtension: String) -> String {
    let path = folder.name(fileExtension: fileExtension)
    paths.withLock { $0.append(path) }
    return path
  }

  /// Removes all files except the result.
  func keep(only path: String) {
    let others = paths.withLock { paths in
      defer { paths = [path] }
      return paths.filter { $0 != path }
    }
    for other in others { folder.remove(other) }
    body.withLock { $0 = nil }
  }
}
