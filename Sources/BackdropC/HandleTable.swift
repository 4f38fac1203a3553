import Backdrop
import CBackdrop
import Libc
import Synchronization

/// The object of a handle; ``HandleTable`` ensures that only one thread uses it at a time.
protocol Handle: AnyObject {
  /// Its name in messages.
  static var title: String { get }
}

/// The objects of the callers' handles. Handles are numbers that are never reused, so that the use of a freed one is
/// detected.
final class HandleTable: Sendable {
  static let shared = HandleTable()

  /// An object, with a flag that is true while a call is using it. It is unchecked because only the call that sets the
  /// flag uses the object.
  private final class Entry: @unchecked Sendable {
    let object: any Handle
    let isInUse = Atomic(false)
    init(_ object: any Handle) { self.object = object }
  }

  private let state = Mutex((entries: [UInt: Entry](), count: UInt(0)))
  /// The process of the first handle; 0 before.
  private let home = Atomic<Int32>(0)

  /// The status for calls in a fork of the process that made handles, since the fork lacks its threads and locks; `nil`
  /// in that process.
  func forked() -> bd_status? {
    let home = home.load(ordering: .relaxed)
    guard home != 0 && home != getpid() else { return nil }
    bd_keep_error(
      "this process was forked from one that had already used Backdrop",
      "start a new process instead of forking (in Python, the start method \"spawn\"), or use Backdrop only after the fork",
      "")
    return bd_status(BD_FORKED)
  }

  func add(_ object: any Handle) -> OpaquePointer? {
    _ = home.compareExchange(expected: 0, desired: getpid(), ordering: .relaxed)
    let entry = Entry(object)
    return state.withLock { state in
      state.count += 1
      // Odd numbers, which are never pointers to objects.
      let number = state.count << 4 | 9
      state.entries[number] = entry
      return OpaquePointer(bitPattern: number)
    }
  }

  /// Removes a handle; the object is released after the last call that uses it.
  func remove(_ handle: OpaquePointer?) {
    guard forked() == nil, let handle else { return }
    // The object is released outside of the lock, because that may take long.
    let entry = state.withLock { $0.entries.removeValue(forKey: UInt(bitPattern: handle)) }
    withExtendedLifetime(entry) {}
  }

  private func find<Object: Handle>(
    _ handle: OpaquePointer?, _ type: Object.Type
  ) throws(BackdropError) -> (entry: Entry, object: Object) {
    let handle = try given(handle, type.title)
    guard let entry = state.withLock({ $0.entries[UInt(bitPattern: handle)] }) else {
      throw BackdropError(.wrongArgument, "this is not a \(type.title), or you freed it", hint: "make another one")
    }
    guard let object = entry.object as? Object else {
      throw BackdropError(.wrongArgument, "this handle is not a \(type.title)", hint: "pass a handle of the right kind")
    }
    return (entry, object)
  }

  /// Calls `body` with the object of a handle, even if other threads use it.
  func withShared<Object: Handle, Value>(
    _ handle: OpaquePointer?, _ type: Object.Type, _ body: (Object) throws(BackdropError) -> Value
  ) throws(BackdropError) -> Value {
    try body(try find(handle, type).object)
  }

  /// Calls `body` with the object of a handle, while no other thread may use it.
  func with<Object: Handle, Value>(
    _ handle: OpaquePointer?, _ type: Object.Type, _ body: (Object) throws(BackdropError) -> Value
  ) throws(BackdropError) -> Value {
    let (entry, object) = try find(handle, type)
    guard !entry.isInUse.exchange(true, ordering: .acquiring) else {
      throw BackdropError(
        .wrongArgument, "another thread is using this \(type.title)", hint: "use a handle from one thread at a time")
    }
    defer { entry.isInUse.store(false, ordering: .releasing) }
    return try body(object)
  }
}

/// Runs a call with the object of a handle.
func call<Object: Handle>(
  _ handle: OpaquePointer?, _ type: Object.Type, _ body: (Object) throws(BackdropError) -> bd_status
) -> bd_status {
  call { () throws(BackdropError) in try HandleTable.shared.with(handle, type, body) }
}

/// Runs a call with the object of a handle that gives `BD_OK` or an error.
func perform<Object: Handle>(
  _ handle: OpaquePointer?, _ type: Object.Type, _ body: (Object) throws(BackdropError) -> Void
) -> bd_status {
  perform { () throws(BackdropError) in try HandleTable.shared.with(handle, type, body) }
}

/// Runs a call that makes an object; `result` gets its handle, or NULL on failure.
func make(
  _ result: UnsafeMutablePointer<OpaquePointer?>?, _ body: () throws(BackdropError) -> any Handle
) -> bd_status {
  result?.pointee = nil
  return perform { () throws(BackdropError) in try resultPointer(result).pointee = HandleTable.shared.add(try body()) }
}
