import BackdropImaging

/// A video export, running or finished: the entry of the pages' list, which is saved.
struct Export: Codable, Sendable {
  enum State: String, Codable, Sendable {
    case waiting, running, done, failed, cancelled
    /// The studio ended before the export was complete.
    case interrupted
  }

  var id: Int
  /// The file name, and its video.
  var name: String, video: Int
  var state = State.waiting
  /// 0…1.
  var part = 0.0
  /// The remaining seconds, if they can be estimated.
  var left: Double?
  /// The number of drawn frames, and of frames drawn per second.
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
