import BackdropImaging
import Libc

/// A connection to usbmuxd and, after forwarding, to a port of a phone. Every call ends at its deadline.
final class UsbmuxSocket: Sendable {
  typealias Deadline = SuspendingClock.Instant

  private let descriptor: Int32

  deinit { close(descriptor) }

  /// Connects to usbmuxd; `nil` if nothing listens there: it is not running.
  init?(_ address: UsbmuxAddress, until deadline: Deadline) throws(BackdropError) {
    let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Self.failure("cannot be reached", errno) }
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var number = address.withSocketAddress { connect(descriptor, $0, $1) == 0 ? 0 : errno }
    if number == EINPROGRESS {
      try wait(for: POLLOUT, until: deadline)
      var size = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size)
    }
    switch number {
    case 0: break
    case ENOENT, ECONNREFUSED: return nil
    default: throw Self.failure("cannot be reached", number)
    }
  }

  private static func failure(_ what: String, _ number: Int32) -> BackdropError {
    BackdropError(
      .system, "usbmuxd \(what) (\(systemReason(number)))",
      hint: "check that your account may use it, and restart it: sudo systemctl restart usbmuxd")
  }

  /// Sends all bytes.
  func send(_ bytes: [UInt8], until deadline: Deadline) throws(BackdropError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Libc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0 && (errno == EAGAIN || errno == EINTR) {
        try wait(for: POLLOUT, until: deadline)
      } else {
        throw Self.failure("takes no requests", errno)
      }
    }
  }

  /// Waits for `count` bytes; `nil` if the other side closes the connection first.
  func receive(_ count: Int, until deadline: Deadline) throws(BackdropError) -> [UInt8]? {
    var failure: BackdropError?
    var isOver = false
    let result = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        let got = recv(descriptor, rest.baseAddress, count - filled, 0)
        if got > 0 {
          filled += got
        } else if got < 0 && (errno == EAGAIN || errno == EINTR) {
          do throws(BackdropError) { try wait(for: POLLIN, until: deadline) } catch {
            failure = error
            return
          }
        } else {
          isOver = true
          return
        }
      }
    }
    if let failure { throw failure }
    return isOver ? nil : result
  }

  /// Ends the connection in both directions and wakes waiting calls.
  func shutdown() { _ = Libc.shutdown(descriptor, Int32(SHUT_RDWR)) }

  private func wait(for events: Int32, until deadline: Deadline) throws(BackdropError) {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
      let left = deadline - SuspendingClock.now
      guard left > .zero else {
        throw BackdropError(.system, "the phone did not answer in time", hint: "reconnect the cable")
      }
      let ready = poll(&entry, 1, Int32(min(left / .milliseconds(1), 3_600_000)) + 1)
      if ready > 0 { return }
    }
  }
}

/// Where usbmuxd listens.
package struct UsbmuxAddress: Sendable {
  /// The environment variable that gives usbmuxd's own tools another address.
  static let variable = "USBMUXD_SOCKET_ADDRESS"
  private static let usualPath = "/var/run/usbmuxd"

  private enum Kind { case path([UInt8]), port(UInt16), port6(UInt16) }
  private let kind: Kind

  /// The address in the environment, or the default.
  package static func current() throws(BackdropError) -> UsbmuxAddress {
    try UsbmuxAddress(ProcessEnvironment[variable] ?? "UNIX:" + usualPath)
  }

  /// Reads `UNIX:/path` or a port of this computer: `127.0.0.1:27015`, `localhost:27015`, `[::1]:27015`.
  package init(_ text: String) throws(BackdropError) {
    if text.hasPrefix("UNIX:") {
      let bytes = FilePath.bytes(String(text.dropFirst(5)))
      guard bytes.first == UInt8(ascii: "/"), bytes.count <= sockaddr_un.longestName else { throw Self.unknown(text) }
      kind = .path(bytes)
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      throw Self.unknown(text)
    }
    switch text[..<colon] {
    case "localhost", "127.0.0.1": kind = .port(port)
    case "[::1]": kind = .port6(port)
    default: throw Self.unknown(text)
    }
  }

  private static func unknown(_ text: String) -> BackdropError {
    BackdropError(
      .wrongArgument, "\(variable) is not an address on this computer: '\(text)'",
      hint: "unset it, or write it like UNIX:/var/run/usbmuxd or 127.0.0.1:27015")
  }

  var family: Int32 {
    switch kind {
    case .path: AF_UNIX
    case .port: AF_INET
    case .port6: AF_INET6
    }
  }

  func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    func pass<Address>(_ address: Address) -> Int32 {
      withUnsafeBytes(of: address) { bytes in
        // An address is never empty.
        body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      }
    }
    switch kind {
    case .path(let bytes):
      // The initializer has refused a longer path.
      return pass(sockaddr_un(name: bytes)!)
    case .port(let port):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
      return pass(address)
    case .port6(let port):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      return pass(address)
    }
  }
}
