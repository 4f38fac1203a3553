import BackdropImaging
import BackdropModels
import Dispatch
import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// The studio: a page on this machine in which backgrounds, depth and photos can be tried by hand.
///
///     let studio = try Studio(StudioOptions(token: StudioToken.kept()))
///     try studio.start()
///     print(studio.address)
public final class Studio: Sendable {
  /// Ports that are tried where none is asked for.
  public static let ports = 7230...7249

  private let options: StudioOptions
  private let gate: Gate
  private let hub = Hub()
  private let live: LiveRoom
  private let photos: PhotoRoom
  private let files: DropFolder
  private let running = Mutex<Running?>(nil)

  private struct Running {
    var port: Int
    var server: HTTPServer
    var task: Task<Void, Never>
  }

  /// A studio that does not run yet.
  ///
  /// - Throws: `wrongArgument` for options that are refused; what opening the live room's inputs throws.
  public init(_ options: StudioOptions) throws(BackdropError) {
    try Self.check(options)
    self.options = options
    gate = Gate(options)
    files = try DropFolder()
    let networks = ModelCache()
    live = try LiveRoom(options, hub: hub, files: files, networks: networks)
    photos = PhotoRoom(hub: hub, files: files, networks: networks)
  }

  private static func check(_ options: StudioOptions) throws(BackdropError) {
    if options.isPublic {
      guard let password = options.password, password.utf8.count >= 8 else {
        throw BackdropError(
          .wrongArgument, "other machines are not let in without a password",
          hint: .givePassword)
      }
    }
    if let port = options.port {
      guard (1...65_535).contains(port) else {
        throw BackdropError(.wrongArgument, "the port \(port) is out of range: 1…65535", hint: .leavePortOut)
      }
    }
    guard FileKind(options.folder) == .folder else {
      throw BackdropError(
        .wrongArgument, "there is no such folder for snapshots and recordings", path: options.folder,
        hint: "make it first")
    }
  }

  /// What a browser opens; it carries the token.
  public var address: String {
    "http://127.0.0.1:\(port)/#t=\(options.token)"
  }

  /// The port that it listens on; 0 while it does not run.
  public var port: Int { running.withLock { $0?.port ?? 0 } }

  /// Begins to listen and to serve, on other threads.
  ///
  /// - Throws: `system` if the port is taken.
  public func start() throws(BackdropError) {
    let port = try freePort()
    gate.open(port: port)
    let address: sockaddr_in
    do {
      address = try sockaddr_in.inet(ip4: options.isPublic ? "0.0.0.0" : "127.0.0.1", port: UInt16(port))
    } catch {
      throw BackdropError(.system, "the address to listen on cannot be made (\(error))")
    }
    let router = Router(gate: gate, tabs: TabHandler(hub), live: live, photos: photos)
    let configuration = HTTPServer.Configuration(
      address: address, timeout: 600, sharedRequestReplaySize: 0, pool: ConnectionPool(), logger: .disabled)
    let server = HTTPServer(config: configuration, handler: router)
    let failure = Mutex<String?>(nil)
    let ended = DispatchSemaphore(value: 0)
    let task = Task {
      do {
        try await server.run()
      } catch {
        failure.withLock { $0 = "\(error)" }
      }
      ended.signal()
    }
    let ready = DispatchSemaphore(value: 0)
    Task {
      do {
        try await server.waitUntilListening(timeout: 10)
      } catch {
        // What went wrong is what `run` threw.
      }
      ready.signal()
    }
    while ready.wait(timeout: .now() + 0.02) == .timedOut {
      if let failure = failure.withLock({ $0 }) {
        throw BackdropError(
          .system, "the studio cannot listen on port \(port) (\(failure))", hint: .choosePort)
      }
    }
    running.withLock { $0 = Running(port: port, server: server, task: task) }
    live.start()
  }

  /// Ends it; what is being recorded is finished.
  public func stop() {
    guard let running = running.withLock({ $0.take() }) else { return }
    hub.closeAll()
    let done = DispatchSemaphore(value: 0)
    Task {
      await running.server.stop(timeout: 1)
      running.task.cancel()
      done.signal()
    }
    _ = done.wait(timeout: .now() + 3)
    live.stop()
    files.remove()
  }

  /// The port that was asked for, or the first free one of the usual ones.
  private func freePort() throws(BackdropError) -> Int {
    if let port = options.port {
      guard Self.isFree(port) else {
        throw BackdropError(
          .system, "the port \(port) is taken", hint: .chooseOrLeavePortOut)
      }
      return port
    }
    for port in Self.ports where Self.isFree(port) { return port }
    throw BackdropError(
      .system, "all ports from \(Self.ports.lowerBound) to \(Self.ports.upperBound) are taken",
      hint: .choosePort)
  }

  private static func isFree(_ port: Int) -> Bool {
    do {
      let socket = try Socket(domain: AF_INET)
      defer { close(socket.file.rawValue) }
      try socket.setValue(true, for: .localAddressReuse)
      try socket.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: UInt16(port)))
      try socket.listen()
      return true
    } catch {
      return false
    }
  }
}
