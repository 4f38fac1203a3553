import CStudioPage
import NIOCore

/// The page's files, which are compiled into the program, so that no requested name becomes a path.
enum PageFiles {
  struct File: Sendable {
    let type: String
    let bytes: ByteBuffer
  }

  static let all: [String: File] = {
    var files: [String: File] = [:]
    for index in 0..<studio_page_file_count {
      guard let file = studio_page_file_at(index)?.pointee, let path = file.path, let type = file.type,
        let bytes = file.bytes
      else { continue }
      files[String(cString: path)] = File(
        type: String(cString: type), bytes: ByteBuffer(bytes: UnsafeRawBufferPointer(start: bytes, count: file.count)))
    }
    return files
  }()

  /// The total size in bytes.
  static var weight: Int { all.values.reduce(0) { $0 + $1.bytes.readableBytes } }
}
