import BackdropImaging
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BackdropLive
@testable import BackdropModels

/// Downloads of networks from a test server that cuts the first answer off half-way.
@Suite(.enabled(if: OutsideTool.isPresent("python3"), "needs python3")) struct ModelDownloadTests {
  private let folder = TemporaryFolder()
  private var store: ModelStore { ModelStore(folder: folder.file("store")) }

  /// Serves a file: half of it in the first answer, then from the requested byte. Prints its port, then each requested range.
  private static let server = """
    import http.server, sys
    content, isFirst = open(sys.argv[1], "rb").read(), True
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            global isFirst
            wanted = self.headers.get("Range")
            print(wanted or "all", flush=True)
            if not self.path.endswith("/isnet-general-use.onnx"):
                return self.send_error(404)
            start = int(wanted[6:-1]) if wanted else 0
            if start >= len(content):
                return self.send_error(416)
            self.send_response(206 if wanted else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            self.wfile.write(content[start:len(content) // 2] if isFirst else content[start:])
            isFirst = False
        def log_message(self, *words):
            pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  private func serve(_ bytes: [UInt8]) throws -> (Program, String) {
    try folder.write(bytes, "content")
    let server = try Program("python3", ["-u", "-c", Self.server, folder.file("content")])
    let port = String(decoding: server.waitForOutput(), as: UTF8.self).filter(\.isNumber)
    return (server, "http://127.0.0.1:\(port)/models/")
  }

  @Test func goesOnWhereTheConnectionEnded() throws {
    let bytes = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
    let (server, mirror) = try serve(bytes)
    let sum = try OutsideTool.text("md5sum", [folder.file("content")]).split(separator: " ")[0]
    let download = ModelDownload(.isNet, md5: String(sum))
    var told: [String] = []
    let error = refusal { try store.install(download, mirror: mirror) { told.append($0) } }
    #expect(error?.kind == .system && error?.message.contains("too early") == true, "\(error?.message ?? "")")
    #expect(told.contains { $0.hasSuffix("licence: Apache-2.0") }, "\(told)")
    #expect(FileKind(store.downloadsFolder + "/isnet-general-use.onnx") == .absent)
    try store.install(download, mirror: mirror) { told.append($0) }
    #expect(try InputFile.read(store.downloadsFolder + "/isnet-general-use.onnx") == bytes)
    #expect(FileKind(store.downloadsFolder + "/isnet-general-use.onnx.part") == .absent)
    #expect(store.path(of: "isnet-general-use.onnx") == store.downloadsFolder + "/isnet-general-use.onnx")
    server.send(SIGTERM)
    let asked = String(decoding: server.wait().output, as: UTF8.self).split(separator: "\n").dropFirst()
    #expect(asked.count == 2 && asked.first == "all" && asked.last?.hasPrefix("bytes=") == true, "\(asked)")
    // It is already there: no request is sent.
    try store.install(download, mirror: mirror) { told.append($0) }
    #expect(told.last?.hasPrefix("isnet is installed in ") == true)
    try store.remove(["isnet"]) { told.append($0) }
    #expect(store.path(of: "isnet-general-use.onnx") == nil && told.last == "removed isnet")
  }

  @Test func keepsNothingOfAnotherFile() throws {
    let (server, mirror) = try serve(Array("another".utf8))
    defer { server.send(SIGTERM) }
    let download = ModelDownload(.isNet, md5: String(repeating: "0", count: 32))
    // The first answer contains half of the file.
    #expect(throws: BackdropError.self) { try store.install(download, mirror: mirror) { _ in } }
    let error = refusal { try store.install(download, mirror: mirror) { _ in } }
    #expect(
      error?.kind == .badData && error?.message.contains("expected md5 000000") == true, "\(error?.message ?? "")")
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.downloadsFolder) == [])
  }

  @Test func saysWhatTheServerAnswers() throws {
    let (server, mirror) = try serve([1])
    defer { server.send(SIGTERM) }
    let error = refusal { try store.install(ModelDownload(.u2Net, md5: ""), mirror: mirror) { _ in } }
    #expect(
      error?.kind == .system && error?.message.contains("the server answers 404") == true, "\(error?.message ?? "")")
  }
}
