import BackdropImaging
import Libc

/// The manager that started the program, such as systemd: the socket that it hands over (`sd_listen_fds(3)`), and the notices of the
/// start and the end that it expects (`sd_notify(3)`).
struct ServiceManager {
  /// A socket that listens already.
  let socket: Int32?
  /// The first descriptor that is handed over.
  private static let firstDescriptor: Int32 = 3

  /// - Throws: `unsupported` where it hands over more than one socket.
  init() throws(BackdropError) {
    guard let process = ProcessEnvironment["LISTEN_PID"], Int32(process) == getpid(),
      let count = ProcessEnvironment["LISTEN_FDS"].flatMap({ Int($0) }), count > 0
    else {
      socket = nil
      return
    }
    guard count == 1 else {
      throw BackdropError(
        .unsupported, "the service was given \(count) sockets", hint: "name one address in the .socket unit")
    }
    socket = Self.firstDescriptor
    _ = fcntl(Self.firstDescriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Tells the manager, if there is one.
  func tell(_ state: String) {
    guard let name = ProcessEnvironment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@") else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = FilePath.bytes(name)
    // The abstract namespace (unix(7)).
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let socket = Libc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        // A manager that does not listen misses nothing that the service needs.
        _ = Array(state.utf8).withUnsafeBytes { sendto(socket, $0.baseAddress, $0.count, 0, place, length) }
      }
    }
  }

  /// Lets the program have as many files and connections open as the system allows it.
  static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
