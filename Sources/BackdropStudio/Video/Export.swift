import BackdropImaging

/// A video that is being written, or was: what the pages list, and what is kept of it.
struct Export: Codable, Sendable {
  enum State: String, Codable, Sendable {
    case waiting, running, done, failed, cancelled
    /// The studio ended before it was done.
    case interrupted
  }

  var id: Int
  /// The name of the file, and its video.
  var name: String, video: Int
  var state = State.waiting
  /// 0…1.
  var part = 0.0
  /// Seconds that are still to come, as far as that can be said.
  var left: Double?
  /// Frames drawn, and drawn in a second.
  var frames = 0, rate: Double?
  /// Bytes of the file.
  var bytes: Int?
  /// The engine's warnings and notes.
  var notes: [String] = []
  var error: String?, hint: String?
  var request: ExportRequest

  /// Whether it has ended.
  var isOver: Bool { state != .waiting && state != .running }
}
