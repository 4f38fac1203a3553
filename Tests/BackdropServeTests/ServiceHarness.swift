import BackdropImaging
import Foundation
import Synchronization
import TestSupport

@testable import BackdropServe

/// A running service for a test, on a free port of 127.0.0.1.
final class ServiceHarness: Sendable {
  let service: Service
  let port: Int
  let folder: TestSupport.TemporaryFolder
  private let lines: Lines

  /// The lines that the service logs.
  final class Lines: Sendable {
    private let all = Mutex<[String]>([])
    var texts: [String] { all.withLock { $0 } }
    func add(_ line: String) { all.withLock { $0.append(line) } }
  }

  var log: [String] { lines.texts }

  static func start(_ change: @escaping @Sendable (inout ServeOptions) -> Void = { _ in }) async throws
    -> ServiceHarness
  {
    try await onThread { try ServiceHarness(change) }
  }

  private init(_ change: (inout ServeOptions) -> Void) throws {
    folder = TestSupport.TemporaryFolder()
    lines = Lines()
    var options = ServeOptions()
    options.port = 0
    options.temporaryFolder = folder.path
    options.measuresRates = false
    options.log = { [lines] in lines.add($0) }
    change(&options)
    service = try Service(options)
    try service.start()
    port = service.port
  }

  func stop() async throws { try await onThread { self.service.stop() } }

  /// The head of a request.
  func head(_ method: String, _ target: String, _ fields: [String]) -> [UInt8] {
    let own = fields.contains { $0.lowercased().hasPrefix("host:") } ? [] : ["Host: 127.0.0.1:\(port)"]
    return Array((["\(method) \(target) HTTP/1.1"] + own + fields + ["", ""]).joined(separator: "\r\n").utf8)
  }

  /// Sends a request and reads the answer.
  func request(
    _ method: String = "GET", _ target: String, fields: [String] = [], body: [UInt8]? = nil
  ) async throws -> RawClient.Reply {
    let bytes = head(method, target, fields + (body.map { ["Content-Length: \($0.count)"] } ?? [])) + (body ?? [])
    let port = port
    return try await onThread {
      let client = try RawClient(port: port)
      client.send(bytes)
      return client.reply()
    }
  }

  /// A form like curl's: a file has a name.
  static func form(_ parts: [(name: String, file: String?, bytes: [UInt8])]) -> (type: String, body: [UInt8]) {
    let boundary = "----test\(UInt64.random(in: 0...UInt64.max))"
    var body: [UInt8] = []
    for part in parts {
      let file = part.file.map { "; filename=\"\($0)\"" } ?? ""
      body += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"\(file)\r\n\r\n".utf8)
      body += part.bytes + [13, 10]
    }
    return ("Content-Type: multipart/form-data; boundary=\(boundary)", body + Array("--\(boundary)--\r\n".utf8))
  }

  struct Trouble: Decodable, Equatable { var error: String, hint: String?, code: String }

  static func trouble(_ reply: RawClient.Reply) throws -> Trouble {
    try JSONDecoder().decode(Trouble.self, from: Data(reply.body))
  }
}
