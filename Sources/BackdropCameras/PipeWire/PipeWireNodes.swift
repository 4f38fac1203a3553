import BackdropImaging
import CPipeWire
import Libc

enum PipeWireNodes {
  struct Node {
    var id: UInt32
    var name: String
    var description: String
    /// The unique number that the service gives it.
    var serial: String?
    var modes: [CameraMode] = []
    /// The programs that are watching it.
    var readers: [String] = []
  }

  /// The name of this program's own virtual camera.
  static let ownName = "backdrop"

  /// All cameras except Backdrop's own, in the service's order; with the lock held, after
  /// ``PipeWireConnection/synchronise(within:)``.
  static func list(_ connection: PipeWireConnection) throws(BackdropError) -> [Node] {
    var nodes: [Node] = []
    for (id, global) in connection.globals.sorted(by: { $0.key < $1.key })
    where global.kind.hasSuffix(":Node") && global.properties["media.class"] == "Video/Source" {
      let name = global.properties["node.name"] ?? "\(id)"
      guard name != ownName else { continue }
      nodes.append(
        Node(
          id: id, name: name, description: global.properties["node.description"] ?? name,
          serial: global.properties["object.serial"], readers: readers(of: id, connection)))
    }
    let collectors = nodes.map { FormatCollector(connection, node: $0.id) }
    defer { for collector in collectors { collector.destroy() } }
    try connection.synchronise()
    for (index, collector) in collectors.enumerated() { nodes[index].modes = collector.modes }
    return nodes
  }

  private static func readers(of node: UInt32, _ connection: PipeWireConnection) -> [String] {
    let links = connection.globals.values.filter { $0.kind.hasSuffix(":Link") && $0.number("link.output.node") == node }
    let names = links.compactMap { link -> String? in
      guard let reader = link.number("link.input.node").flatMap({ connection.globals[$0] }) else { return nil }
      let client = reader.number("client.id").flatMap { connection.globals[$0] }
      let name = client?.properties["application.name"] ?? reader.properties["node.name"] ?? "a program"
      guard let process = client?.properties["pipewire.sec.pid"] else { return name }
      return "\(name) (\(process))"
    }
    return Array(Set(names)).sorted()
  }

  /// All cameras, as descriptions; none if PipeWire is not installed or not running.
  static func describe() -> [CameraDescription] {
    do throws(BackdropError) {
      return try PipeWireConnection.ask { connection throws(BackdropError) in
        let nodes = try list(connection)
        return nodes.map { node in
          let isAlone = nodes.count { $0.name == node.name } == 1
          return CameraDescription(
            address: "pipewire:" + (isAlone ? node.name : node.serial ?? node.name), name: node.description,
            interface: "PipeWire", modes: node.modes,
            holder: node.readers.isEmpty ? nil : node.readers.joined(separator: ", "))
        }
      }
    } catch {
      // Without a service there are no nodes; opening one of its cameras reports the reason.
      return []
    }
  }
}

/// Collects the formats of a node, with the connection's lock held.
private final class FormatCollector {
  private(set) var modes: [CameraMode] = []
  private let connection: PipeWireConnection
  private var proxy: UnsafeMutableRawPointer?
  private let hook = UnsafeMutablePointer<bd_pw_hook>.allocate(capacity: 1)
  private static let limit = 2000

  init(_ connection: PipeWireConnection, node: UInt32) {
    self.connection = connection
    hook.initialize(to: bd_pw_hook())
    guard let registry = connection.registry else { return }
    proxy = bd_pw_registry_bind_node(registry, node)
    guard let proxy else { return }
    _ = bd_pw_node_add_listener(proxy, hook, Self.events, Unmanaged.passUnretained(self).toOpaque())
    _ = bd_pw_node_enum_params(proxy, 0, UInt32(BD_PW_PARAM_ENUM_FORMAT))
  }

  deinit { hook.deallocate() }

  func destroy() {
    if let proxy { connection.functions.pw_proxy_destroy(proxy) }
    proxy = nil
  }

  private func add(_ object: PodObject) {
    for mode in PipeWireFormat.modes(object) where modes.count < Self.limit && !modes.contains(mode) {
      modes.append(mode)
    }
  }

  // Written once, and read by the library for the life of the process.
  nonisolated(unsafe) private static let events: UnsafeMutablePointer<bd_pw_node_events> = {
    var events = bd_pw_node_events()
    events.param = { data, _, id, _, _, param in
      guard id == UInt32(BD_PW_PARAM_ENUM_FORMAT), let data, let param, let object = PodObject(at: param) else {
        return
      }
      Unmanaged<FormatCollector>.fromOpaque(data).takeUnretainedValue().add(object)
    }
    let pointer = UnsafeMutablePointer<bd_pw_node_events>.allocate(capacity: 1)
    pointer.initialize(to: events)
    return pointer
  }()
}
