import BackdropLive

/// Where pictures can come from.
enum LiveSources {
  struct Source: Encodable, Sendable {
    var address: String, name: String
    /// `simulated`, `browser` or `machine`.
    var kind: String
    /// Why it cannot be used.
    var fault: String?
  }

  /// The simulated scenes, the browser's webcam and the cameras of this machine.
  static func list() -> [Source] {
    SimulatedScene.Name.allCases.map { name in
      Source(
        address: "sim:\(name.rawValue)?seconds=86400", name: SimulatedScene(name).summary, kind: "simulated")
    } + [Source(address: BrowserCamera.address, name: "This browser's webcam", kind: "browser")]
  }
}
