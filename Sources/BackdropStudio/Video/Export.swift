import BackdropImaging

/// A waiting, running or finished video export: an entry of the list that pages show and the studio saves.
struct Export: Codable, Sendable {
  enum State: String, Codable, Sendable {
    case waiting, running, done, failed, cancelled
    /// The studio ended before the export was complete.
    case interrupted
  }

  var id: Int
  var name: String, video: Int
  var state = State.waiting
  /// The progress, 0…1.
  var part = 0.0
  /// The remaining seconds, if they can be estimated.
  var left: Double?
  /// The number of frames drawn, and the frames drawn per second.
  var frames = 0, rate: Double?
  /// The size of the file in bytes.
  var bytes: Int?
  var notes: [String] = []
  var error: String?, hint: String?
  var request: ExportRequest

  /// The path of its file in the folder of exports.
  var path: String { "\(id)/\(name)" }

  var isOver: Bool { state != .waiting && state != .running }
}
