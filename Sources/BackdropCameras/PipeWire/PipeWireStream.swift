import BackdropImaging
import CPipeWire
import Libc

/// One end of a stream of pictures or sound through PipeWire; everything except ``destroy()`` needs the connection's lock.
final class PipeWireStream {
  private(set) var state: Int32 = Int32(BD_PW_UNCONNECTED)
  /// The error, in the service's words.
  private(set) var complaint: String?
  /// The negotiated format of pictures; `nil` before, and after the other end leaves.
  private(set) var format: PipeWireFormat?
  /// The negotiated format of sound; `nil` before, and after the other end leaves.
  private(set) var sound: PipeWireSound?
  /// Whether the negotiated format is unsupported.
  private(set) var hasOddFormat = false
  private(set) var layout: RawLayout?
  let pointer: UnsafeMutableRawPointer

  private let connection: PipeWireConnection
  /// The buffers that became ready to read since a reader reset it.
  var arrivals = 0
  private let arrived: ((PipeWireStream) -> Void)?
  private let hook: UnsafeMutablePointer<bd_pw_hook>

  deinit { hook.deallocate() }

  /// Creates a stream and starts to connect it.
  ///
  /// - Parameter arrived: called on the connection's thread when a buffer is ready to read; without it, waiting callers wake.
  init(
    _ connection: PipeWireConnection, properties: KeyValuePairs<String, String>, direction: Int, flags: Int,
    formats: [PodObject], arrived: ((PipeWireStream) -> Void)? = nil
  ) throws(BackdropError) {
    let functions = connection.functions
    let items = properties.map { bd_pw_dict_item(key: strdup($0.key), value: strdup($0.value)) }
    defer {
      for item in items {
        free(UnsafeMutablePointer(mutating: item.key))
        free(UnsafeMutablePointer(mutating: item.value))
      }
    }
    let made = items.withUnsafeBufferPointer { items -> UnsafeMutableRawPointer? in
      var dictionary = bd_pw_dict(flags: 0, count: UInt32(items.count), items: items.baseAddress)
      return functions.pw_properties_new_dict(&dictionary)
    }
    guard let core = connection.core, let made,
      let pointer = functions.pw_stream_new(core, properties.first?.value, made)
    else { throw BackdropError(.system, "PipeWire could not create a stream (\(PipeWireConnection.reason(errno)))") }
    (self.connection, self.pointer, self.arrived) = (connection, pointer, arrived)
    // Not before: `deinit` runs only for a stream with all its parts.
    hook = .allocate(capacity: 1)
    hook.initialize(to: bd_pw_hook())
    functions.pw_stream_add_listener(pointer, hook, Self.events, Unmanaged.passUnretained(self).toOpaque())
    let status = Self.withPods(formats) {
      functions.pw_stream_connect(
        pointer, Int32(direction), UInt32(bitPattern: Int32(BD_PW_ANY)), Int32(flags), $0.baseAddress, UInt32($0.count))
    }
    guard status >= 0 else {
      destroy()
      throw BackdropError(.system, "PipeWire could not connect the stream (\(PipeWireConnection.reason(status)))")
    }
  }

  /// Destroys the stream; call it with the lock held, or after the connection has stopped.
  func destroy() { connection.functions.pw_stream_destroy(pointer) }

  /// The service's number for its node.
  var node: UInt32 { connection.functions.pw_stream_get_node_id(pointer) }

  private static func withPods<Result>(
    _ objects: [PodObject], _ body: (UnsafeMutableBufferPointer<UnsafeRawPointer?>) -> Result
  ) -> Result {
    let words = objects.map(\.words)
    // One block, so that all addresses stay valid.
    let all = UnsafeMutablePointer<UInt64>.allocate(capacity: max(1, words.reduce(0) { $0 + $1.count }))
    defer { all.deallocate() }
    var addresses: [UnsafeRawPointer?] = []
    var position = 0
    for object in words {
      addresses.append(UnsafeRawPointer(all + position))
      for word in object {
        (all + position).initialize(to: word)
        position += 1
      }
    }
    return addresses.withUnsafeMutableBufferPointer { body($0) }
  }

  // MARK: - Called back

  private static func this(_ data: UnsafeMutableRawPointer?) -> PipeWireStream? {
    data.map { Unmanaged<PipeWireStream>.fromOpaque($0).takeUnretainedValue() }
  }

  private func formatChanged(_ param: UnsafeRawPointer?) {
    defer { connection.signal() }
    format = nil
    sound = nil
    layout = nil
    hasOddFormat = false
    guard let param else { return }
    let object = PodObject(at: param)
    sound = object.flatMap(PipeWireSound.init)
    if sound != nil { return ask(for: [Self.anyMemory]) }
    guard let agreed = object.flatMap(PipeWireFormat.init) else {
      hasOddFormat = true
      return
    }
    format = agreed
    layout = agreed.layout()
    ask(for: [layout.map(agreed.buffers) ?? Self.anyMemory, PipeWireFormat.header])
  }

  /// Buffers of any size, in readable memory.
  private static let anyMemory = PodObject(PodObject.buffers, id: 5, [6: .choice(.flags, [.int(6)])])

  private func ask(for params: [PodObject]) {
    _ = Self.withPods(params) {
      connection.functions.pw_stream_update_params(pointer, $0.baseAddress, UInt32($0.count))
    }
  }

  // Written once, and read by the library for the life of the process.
  nonisolated(unsafe) private static let events: UnsafeMutablePointer<bd_pw_stream_events> = {
    var events = bd_pw_stream_events()
    events.version = 2
    events.state_changed = { data, _, state, error in
      guard let this = PipeWireStream.this(data) else { return }
      this.state = state
      if let error { this.complaint = String(cString: error) }
      this.connection.signal()
    }
    events.param_changed = { data, id, param in
      guard id == UInt32(BD_PW_PARAM_FORMAT), let this = PipeWireStream.this(data) else { return }
      this.formatChanged(param)
    }
    events.process = { data in
      guard let this = PipeWireStream.this(data) else { return }
      if let arrived = this.arrived { return arrived(this) }
      this.arrivals += 1
      this.connection.signal()
    }
    let pointer = UnsafeMutablePointer<bd_pw_stream_events>.allocate(capacity: 1)
    pointer.initialize(to: events)
    return pointer
  }()
}
