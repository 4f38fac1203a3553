import BackdropImaging
import Foundation
import TestSupport

@testable import BackdropStudio

/// A studio that runs for a test, and a client that speaks to it in bytes of its own.
///
/// All that waits does so on threads of its own: the studio's connections are served on the threads that tests run on.
final class StudioHarness: Sendable {
  let studio: Studio
  let port: Int
  /// What a browser that was let in sends.
  let cookie: String
  private let folder: TestSupport.TemporaryFolder
  /// Where it keeps what is there at the next start.
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
      // Another test may have taken the port in between.
      for _ in 0..<20 {
        options.port = Int.random(in: 20_000...60_000)
        let studio = try Studio(options)
        do throws(BackdropError) {
          try studio.start()
        } catch {
          continue
        }
        return try StudioHarness(studio, folder)
      }
      throw BackdropError(.system, "no port is free")
    }
  }

  func stop() async throws { try await onThread { self.studio.stop() } }

  /// An answer: the head's first line, its fields, and what follows.
  struct Reply: Sendable {
    var status = 0
    var head = ""
    var body: [UInt8] = []
    var text: String { String(decoding: body, as: UTF8.self) }
    /// What it sets as a cookie, without what is said of it.
    var cookie: String {
      head.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: ") }
        .map { $0.dropFirst(12).prefix { $0 != ";" } }.map(String.init) ?? ""
    }
  }

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

  /// Whether it still answers as it should.
  func isAlive() async throws -> Bool { try await request("GET", "/").status == 200 }
}

/// Runs something that waits on a thread of its own.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}

/// A connection by plain sockets.
final class RawClient {
  private let file: Int32
  private var rest: [UInt8] = []

  init(port: Int) throws {
    file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw BackdropError(.system, "the studio cannot be reached") }
    wait(seconds: 180)
  }

  deinit { close(file) }

  /// How long reading and writing may wait.
  func wait(seconds: Double) {
    var time = timeval(tv_sec: Int(seconds), tv_usec: Int((seconds - seconds.rounded(.down)) * 1e6))
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Sends all of it; false where the other side has closed.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(file, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// The next bytes; none at the end, or after the wait.
  func read() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(file, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[0..<count]) : []
  }

  /// Exactly so many bytes; fewer at the end.
  func read(_ count: Int) -> [UInt8] {
    while rest.count < count {
      let more = read()
      if more.isEmpty { break }
      rest += more
    }
    defer { rest.removeFirst(min(count, rest.count)) }
    return Array(rest.prefix(count))
  }

  /// Reads a whole answer.
  func reply() -> StudioHarness.Reply {
    var reply = StudioHarness.Reply()
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      let byte = read(1)
      guard !byte.isEmpty else { break }
      head += byte
    }
    reply.head = String(decoding: head, as: UTF8.self)
    reply.status = reply.head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let length = reply.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
    if let length, length > 0 { reply.body = read(length) }
    return reply
  }

  /// Turns the connection into a socket of the page.
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
  /// - Parameter announced: the length that the frame says it has; its own by default.
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

  /// The next frame: its kind and what it holds; `nil` at the end, or after the wait.
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

  /// Reads frames until the socket is closed: its code; `nil` if it only ended.
  func closeCode() -> Int? {
    while let frame = readFrame() {
      if frame.opcode == 8 {
        return frame.payload.count >= 2 ? Int(frame.payload[0]) << 8 | Int(frame.payload[1]) : 1005
      }
    }
    return nil
  }
}
