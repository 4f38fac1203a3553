import BackdropImaging
import BackdropLive
import Foundation
import TestSupport

@testable import BackdropStudio

/// A studio for a test, and a client that sends it raw bytes.
///
/// All waiting happens on separate threads, because the studio serves its connections on the threads that run tests.
final class StudioHarness: Sendable {
  let studio: Studio
  let port: Int
  /// The cookie of a browser with access.
  let cookie: String
  private let folder: TestSupport.TemporaryFolder
  /// The folder for data that the studio keeps until its next start.
  var state: String { folder.path + "/state" }

  private init(_ studio: Studio, _ folder: TestSupport.TemporaryFolder) throws {
    (self.studio, self.folder) = (studio, folder)
    port = studio.port
    cookie = try Self.enter(studio.makeLink(), port: studio.port).cookie
  }

  /// Follows a link.
  static func enter(_ link: String, port: Int, fields: [String] = []) throws -> Reply {
    let client = try RawClient(port: port)
    let target = link.split(separator: "/").last ?? ""
    client.send(
      Array(
        (["GET /\(target) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + fields + ["", ""]).joined(separator: "\r\n").utf8))
    return client.reply()
  }

  static func start(
    _ change: @escaping @Sendable (inout StudioOptions) -> Void = { _ in }
  ) async throws -> StudioHarness {
    try await onThread {
      let folder = TestSupport.TemporaryFolder()
      var options = StudioOptions()
      options.folder = folder.path
      options.state = folder.path + "/state"
      options.live.camera = "sim:talking?seconds=3600&size=320x180"
      options.live.request.width = 320
      options.live.request.height = 180
      change(&options)
      // Another test may have taken the port meanwhile.
      var last: BackdropError?
      for _ in 0..<20 {
        options.port = Int.random(in: 20_000...60_000)
        let studio = try Studio(options)
        do throws(BackdropError) {
          try studio.start()
        } catch {
          last = error
          continue
        }
        return try StudioHarness(studio, folder)
      }
      throw last ?? BackdropError(.system, "no port is free")
    }
  }

  func stop() async throws { try await onThread { self.studio.stop() } }

  typealias Reply = RawClient.Reply

  /// Sends a request and reads the answer.
  func request(
    _ method: String = "GET", _ target: String, fields: [String] = [], body: [UInt8] = [], isIn: Bool = true,
    host: String? = nil
  ) async throws -> Reply {
    var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"]
    if isIn { lines.append("Cookie: \(cookie)") }
    if method == "POST"
      && !fields.contains(where: { $0.hasPrefix("Transfer-Encoding") || $0.hasPrefix("Content-Length") })
    {
      lines.append("Content-Length: \(body.count)")
    }
    let bytes = Array((lines + fields + ["", ""]).joined(separator: "\r\n").utf8) + body
    let port = port
    return try await onThread {
      let client = try RawClient(port: port)
      client.send(bytes)
      return client.reply()
    }
  }

  /// Whether the studio still answers correctly.
  func isAlive() async throws -> Bool { try await request("GET", "/").status == 200 }
}

extension RawClient {
  /// Upgrades the connection to a WebSocket of the page.
  func upgrade(_ harness: StudioHarness, cookie: String? = nil, origin: String? = nil) -> Int {
    let port = harness.port
    let origin = origin ?? "http://127.0.0.1:\(port)"
    send(
      Array(
        [
          "GET /api/socket HTTP/1.1", "Host: 127.0.0.1:\(port)", "Origin: \(origin)",
          "Cookie: \(cookie ?? harness.cookie)",
          "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
        ].joined(separator: "\r\n").utf8))
    return reply().status
  }

  /// Sends a frame as browsers do, masked (RFC 6455, section 5.3).
  ///
  /// - Parameter announced: the length in the frame's header; its real length by default.
  func sendFrame(
    _ opcode: UInt8, _ payload: [UInt8], isLast: Bool = true, isMasked: Bool = true, announced: Int? = nil
  ) {
    var bytes: [UInt8] = [opcode | (isLast ? 0x80 : 0)]
    let (count, flag) = (announced ?? payload.count, UInt8(isMasked ? 0x80 : 0))
    switch count {
    case 0...125: bytes.append(flag | UInt8(count))
    case 126...65_535: bytes += [flag | 126, UInt8(count >> 8), UInt8(count & 255)]
    default:
      bytes.append(flag | 127)
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(count >> shift & 255)) }
    }
    let mask: [UInt8] = isMasked ? [1, 2, 3, 4] : [0, 0, 0, 0]
    if isMasked { bytes += mask }
    bytes += payload.enumerated().map { $1 ^ mask[$0 & 3] }
    send(bytes)
  }

  func sendText(_ text: String) { sendFrame(1, Array(text.utf8)) }

  /// The next frame's kind and content; `nil` at the end.
  func readFrame() -> (opcode: UInt8, payload: [UInt8])? {
    let head = read(2)
    guard head.count == 2 else { return nil }
    var length = Int(head[1] & 127)
    if length == 126 {
      length = read(2).reduce(0) { $0 << 8 | Int($1) }
    } else if length == 127 {
      length = read(8).reduce(0) { $0 << 8 | Int($1) }
    }
    let payload = read(length)
    guard payload.count == length else { return nil }
    return (head[0] & 15, payload)
  }

  /// Reads frames until the server closes the socket; returns the code, or `nil` if the connection ends without one.
  func closeCode() -> Int? {
    while let frame = readFrame() {
      if frame.opcode == 8 {
        return frame.payload.count >= 2 ? Int(frame.payload[0]) << 8 | Int(frame.payload[1]) : 1005
      }
    }
    return nil
  }
}
