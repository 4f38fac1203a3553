import CStudioPage
import NIOCore

/// The page's files, which are compiled into the program, so that no requested name becomes a path.
enum PageFiles {
  struct File: Sendable {
    let type: String
    let bytes: ByteBuffer
  }

  /// The files by their paths in requests; `/` is the page, which loads all modules at once.
  static let all: [String: File] = {
    let page = studio_page()
    let list = String(decoding: UnsafeBufferPointer(start: page.names, count: page.name_count), as: UTF8.self)
    let names = list.split(separator: "\n").filter { $0.hasPrefix("#embed") }.map { $0.split(separator: "\"")[1] }
    let contents = UnsafeBufferPointer(start: page.contents, count: page.content_count).split(separator: 0)
    var files: [String: File] = [:]
    for (name, bytes) in zip(names, contents) {
      if name == "index.html" {
        let text = String(decoding: bytes, as: UTF8.self).replacing("<!-- modules -->", with: links(names))
        files["/"] = File(type: "text/html; charset=utf-8", bytes: ByteBuffer(string: text))
      } else if let fileExtension = name.split(separator: ".").last, let type = types[String(fileExtension)] {
        files["/\(name)"] = File(type: type, bytes: ByteBuffer(bytes: bytes))
      }
    }
    return files
  }()

  private static let types = [
    "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
  ]

  /// The elements that load modules before others import them; the page itself loads its workers.
  private static func links(_ names: [Substring]) -> String {
    names.filter { $0.hasSuffix(".js") && !$0.hasSuffix("-worker.js") && !$0.hasSuffix("-worklet.js") }
      .map { "<link rel=\"modulepreload\" href=\"/\($0)\">" }.joined(separator: "\n")
  }
}
