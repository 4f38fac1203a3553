import BackdropImaging
import CPipeWire
import Libc

/// A connection to PipeWire's service, with its own thread, that keeps a list of the service's objects.
///
/// The library's callbacks run on that thread with the lock held; all other code takes the lock with ``locked(_:)``.
/// Call ``disconnect()`` from another thread before releasing the connection.
final class PipeWireConnection: @unchecked Sendable {  // All mutable state is accessed with the loop's lock held.
  /// An object of the service.
  struct Global {
    /// For example `PipeWire:Interface:Node`.
    var kind: String
    var properties: [String: String]

    func number(_ key: String) -> UInt32? { properties[key].flatMap { UInt32($0) } }
  }

  let library: PipeWireLibrary
  let loop: UnsafeMutableRawPointer
  private var context: UnsafeMutableRawPointer?
  private(set) var core: UnsafeMutableRawPointer?
  private(set) var registry: UnsafeMutableRawPointer?
  private(set) var globals: [UInt32: Global] = [:]
  /// The error that ended the service; `nil` while it is running.
  private(set) var failure: BackdropError?
  private var doneNumber: Int32 = 0
  private var isStopped = false
  private var isDisconnected = false
  private let hooks: UnsafeMutablePointer<bd_pw_hook>

  private static let hint = "start it: systemctl --user start pipewire wireplumber"
  /// The maximum number of objects, far more than a desktop has.
  private static let globalLimit = 20_000

  var functions: bd_pipewire { library.functions }

  /// Connects to the service.
  private init() throws(BackdropError) {
    library = try PipeWireLibrary.shared()
    guard let loop = library.functions.pw_thread_loop_new("backdrop", nil) else { throw Self.noThread }
    self.loop = loop
    // Not before: `deinit` runs only for a connection with all its parts.
    hooks = .allocate(capacity: 2)
    hooks.initialize(repeating: bd_pw_hook(), count: 2)
    do throws(BackdropError) { try connect() } catch {
      disconnect()
      throw error
    }
  }

  deinit { hooks.deallocate() }

  /// Connects to the service, and runs `body` with the lock held; if it fails, the connection ends.
  static func open<Result>(
    _ body: (PipeWireConnection) throws(BackdropError) -> Result
  ) throws(BackdropError) -> Result {
    let connection = try PipeWireConnection()
    do throws(BackdropError) {
      return try connection.locked { () throws(BackdropError) in try body(connection) }
    } catch {
      connection.disconnect()
      throw error
    }
  }

  /// Connects to the service for as long as `body` runs, with the lock held and all objects of the service known.
  static func ask<Result>(
    _ body: (PipeWireConnection) throws(BackdropError) -> Result
  ) throws(BackdropError) -> Result {
    let (result, connection) = try open { connection throws(BackdropError) in
      try connection.synchronise()
      return (try body(connection), connection)
    }
    connection.disconnect()
    return result
  }

  private func connect() throws(BackdropError) {
    context = functions.pw_context_new(functions.pw_thread_loop_get_loop(loop), nil, 0)
    guard let context else {
      throw BackdropError(
        .system, "PipeWire's library did not start (\(Self.reason(errno)))",
        hint: "install its modules: sudo apt install libpipewire-0.3-modules libspa-0.2-modules")
    }
    core = functions.pw_context_connect(context, nil, 0)
    guard let core else {
      throw BackdropError(.system, "PipeWire is not running (\(Self.reason(errno)))", hint: Self.hint)
    }
    let this = Unmanaged.passUnretained(self).toOpaque()
    _ = bd_pw_core_add_listener(core, hooks, Self.coreEvents, this)
    registry = bd_pw_core_get_registry(core)
    guard let registry else { throw BackdropError(.system, "PipeWire sends nothing", hint: Self.hint) }
    _ = bd_pw_registry_add_listener(registry, hooks + 1, Self.registryEvents, this)
    guard functions.pw_thread_loop_start(loop) >= 0 else { throw Self.noThread }
  }

  private static var noThread: BackdropError {
    BackdropError(.system, "PipeWire's library could not start a thread (\(reason(errno)))", hint: "try again")
  }

  /// Ends the thread, and thereby all callbacks. Destroy the connection's objects after it, and call ``disconnect()``
  /// last.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    functions.pw_thread_loop_stop(loop)
  }

  /// Ends the connection; after ``stop()``.
  func disconnect() {
    stop()
    if let registry { functions.pw_proxy_destroy(registry) }
    registry = nil
    if let core { _ = functions.pw_core_disconnect(core) }
    core = nil
    if let context { functions.pw_context_destroy(context) }
    context = nil
    if !isDisconnected { functions.pw_thread_loop_destroy(loop) }
    isDisconnected = true
  }

  // MARK: - The lock

  /// Runs `body` while the thread is blocked.
  func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    functions.pw_thread_loop_lock(loop)
    defer { functions.pw_thread_loop_unlock(loop) }
    return try body()
  }

  /// Waits for a condition, with the lock held.
  ///
  /// - Returns: whether it became true in time.
  func wait(_ seconds: Double, until condition: () -> Bool) -> Bool {
    var end = timespec()
    _ = functions.pw_thread_loop_get_time(loop, &end, Int64(min(max(seconds, 0), 3600) * 1e9))
    while !condition() {
      if functions.pw_thread_loop_timed_wait_full(loop, &end) != 0 { return condition() }
    }
    return true
  }

  /// Wakes waiting callers; called on the connection's thread.
  func signal() { functions.pw_thread_loop_signal(loop, false) }

  /// Waits until the service has processed all requests, with the lock held.
  func synchronise(within seconds: Double = 3) throws(BackdropError) {
    guard let core else { throw BackdropError(.system, "PipeWire stopped", hint: Self.hint) }
    let number = bd_pw_core_sync(core, 0, 0)
    let isDone = wait(seconds) { failure != nil || (doneNumber &- number) >= 0 }
    if let failure { throw failure }
    guard isDone else { throw BackdropError(.system, "PipeWire does not answer", hint: Self.hint) }
  }

  static func reason(_ number: Int32) -> String { systemReason(abs(number)) }

  // MARK: - Called back

  private static func this(_ data: UnsafeMutableRawPointer?) -> PipeWireConnection? {
    data.map { Unmanaged<PipeWireConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  // Written once, and read by the library for the life of the process.
  nonisolated(unsafe) private static let coreEvents: UnsafeMutablePointer<bd_pw_core_events> = {
    var events = bd_pw_core_events()
    events.done = { data, id, number in
      guard id == 0, let this = PipeWireConnection.this(data) else { return }
      this.doneNumber = number
      this.signal()
    }
    events.error = { data, id, _, result, _ in
      // An error of the service itself; objects report their own errors.
      guard id == 0, result == -EPIPE, let this = PipeWireConnection.this(data) else { return }
      this.failure = BackdropError(.system, "PipeWire stopped", hint: hint)
      this.globals = [:]
      this.signal()
    }
    let pointer = UnsafeMutablePointer<bd_pw_core_events>.allocate(capacity: 1)
    pointer.initialize(to: events)
    return pointer
  }()

  nonisolated(unsafe) private static let registryEvents: UnsafeMutablePointer<bd_pw_registry_events> = {
    var events = bd_pw_registry_events()
    events.global = { data, id, _, kind, _, properties in
      guard let this = PipeWireConnection.this(data), let kind, this.globals.count < globalLimit else { return }
      var found: [String: String] = [:]
      if let properties, let items = properties.pointee.items {
        for index in 0..<min(Int(properties.pointee.count), 256) {
          guard let key = items[index].key, let value = items[index].value else { continue }
          found[String(cString: key)] = String(cString: value)
        }
      }
      this.globals[id] = Global(kind: String(cString: kind), properties: found)
      this.signal()
    }
    events.global_remove = { data, id in
      guard let this = PipeWireConnection.this(data) else { return }
      this.globals[id] = nil
      this.signal()
    }
    let pointer = UnsafeMutablePointer<bd_pw_registry_events>.allocate(capacity: 1)
    pointer.initialize(to: events)
    return pointer
  }()
}
