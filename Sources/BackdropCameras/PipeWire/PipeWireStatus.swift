import BackdropImaging

package struct PipeWireStatus: Sendable {
  /// The library's version, for example `0.3.65`.
  package var version: String
  /// The session manager, which connects programs with cameras, for example `WirePlumber`; `nil` if there is none.
  package var sessionManager: String?

  /// Queries the service.
  package static func read() throws(BackdropError) -> PipeWireStatus {
    try PipeWireConnection.ask { connection in
      let clients = connection.globals.values.filter { $0.kind.hasSuffix(":Client") }
      let names = clients.compactMap { $0.properties["application.name"] }
      let manager = names.first { name in
        ["wireplumber", "pipewire-media-session"].contains { name.lowercased().hasPrefix($0) }
      }
      return PipeWireStatus(version: connection.library.version, sessionManager: manager)
    }
  }
}
