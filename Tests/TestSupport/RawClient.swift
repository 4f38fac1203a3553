import Foundation

/// Runs blocking code on a separate thread.
public func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}

/// A client of plain sockets.
public final class RawClient {
  /// An answer: the head's first line, its fields, and the body.
  public struct Reply: Sendable {
    /// The status in the first line; 0 if there is no answer.
    public var status = 0
    /// The text up to the empty line.
    public var head = ""
    /// The bytes after the head, as many as it declares.
    public var body: [UInt8] = []

    /// Creates an empty answer.
    public init() {}

    /// The first value of a field of the head.
    public func field(_ name: String) -> String? {
      head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
        .map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
    }

    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }
    /// The cookie that the answer sets, without attributes.
    public var cookie: String {
      head.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: ") }
        .map { $0.dropFirst(12).prefix { $0 != ";" } }.map(String.init) ?? ""
    }
  }

  private let file: Int32
  private var rest: [UInt8] = []

  /// Connects to a port of 127.0.0.1.
  ///
  /// - Throws: if no program listens on the port.
  public init(port: Int) throws {
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
    guard result == 0 else { throw CocoaError(.fileReadUnknown) }
  }

  deinit { close(file) }

  /// A port of 127.0.0.1 on which no program listens now.
  public static func freePort() throws -> Int {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(file) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, length) == 0 ? getsockname(file, $0, &length) : -1
      }
    }
    guard result == 0 else { throw CocoaError(.fileReadUnknown) }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Ends this side's sending. A server that waits for more then answers, or closes the connection.
  public func endSending() { shutdown(file, Int32(SHUT_WR)) }

  /// Sends all bytes; returns false if the other side has closed.
  @discardableResult
  public func send(_ bytes: [UInt8]) -> Bool {
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

  /// The next bytes; none at the end.
  public func read() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(file, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[0..<count]) : []
  }

  /// Exactly `count` bytes; fewer at the end.
  public func read(_ count: Int) -> [UInt8] {
    while rest.count < count {
      let more = read()
      if more.isEmpty { break }
      rest += more
    }
    defer { rest.removeFirst(min(count, rest.count)) }
    return Array(rest.prefix(count))
  }

  /// The status of the answer to a request over a new connection.
  public static func status(port: Int, _ request: [UInt8]) throws -> Int {
    let client = try RawClient(port: port)
    client.send(request)
    return client.reply().status
  }

  /// Reads a complete answer.
  ///
  /// - Parameter isHead: whether it answers HEAD, so no body follows.
  public func reply(isHead: Bool = false) -> Reply {
    var reply = Reply()
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
    if let length, length > 0, !isHead { reply.body = read(length) }
    return reply
  }
}
