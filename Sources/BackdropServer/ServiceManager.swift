import BackdropImaging
import Libc

/// The service manager that started the program, such as systemd: the socket that it passes (`sd_listen_fds(3)`), and the
/// notifications of the start and the end that it expects (`sd_notify(3)`).
struct ServiceManager {
  /// The listening socket from the manager; `nil` without one.
  let socket: Int32?
  /// The first descriptor that the manager passes.
  private static let firstDescriptor: Int32 = 3

  /// - Throws: `unsupported` if it passes more than one socket.
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

  /// Notifies the manager, if there is one.
  func notify(_ state: String) {
    guard let name = ProcessEnvironment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@") else { return }
    var bytes = FilePath.bytes(name)
    // The abstract namespace (unix(7)).
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    guard let address = sockaddr_un(name: bytes) else { return }
    let socket = Libc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { socketAddress in
        // The service does not depend on the notification.
        _ = Array(state.utf8).withUnsafeBytes { sendto(socket, $0.baseAddress, $0.count, 0, socketAddress, length) }
      }
    }
  }

  /// Raises the limit of open files and connections to the maximum that the system allows.
  static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
