import Backdrop

/// A live session's status, with rates over the last seconds, for the status line, the socket and the page.
package struct LiveStatus: Sendable, Codable, Equatable {
  package enum Showing: String, Sendable, Codable {
    case scene
    case standby
    case frozen
  }

  package var showing = Showing.standby
  /// The reason for the standby frame, on one line; `nil` otherwise.
  package var reason: String?
  package var hint: Hint?
  /// The camera's name, for display.
  package var camera = ""
  /// The camera's mode, such as `1280×720 yuyv 30/s, depth 640×480`.
  package var cameraMode = ""
  /// The camera's nominal frames per second.
  package var cameraRate = 0.0
  package var isCameraOn = false
  package var hasDepth = false
  /// The number of programs and pages that are watching.
  package var watchers = 0
  /// Frames received per second, and pictures sent per second.
  package var framesIn = 0.0, framesOut = 0.0
  /// Mattes per second.
  package var mattes = 0.0
  /// The time from a picture's capture to its output, in milliseconds: the median and the 95th percentile.
  package var latency50 = 0.0, latency95 = 0.0
  /// The number of frames that newer ones replaced, since the start.
  package var dropped = 0
  /// The number of damaged pictures, which are left out, since the start.
  package var damaged = 0
  /// The step taken to reduce load, 0 for none.
  package var loadStep = 0
  /// The effect of the last step, such as `at most 20 fps`; `nil` for none.
  package var loadSummary: String?
  /// The processor use, in percent of one processor.
  package var cpu = 0.0
  /// Size of the outputs.
  package var width = 0, height = 0
  package var recording: String?
  package var recordingSeconds: Double?
  /// Whether it has sound; `nil` while nothing is recorded.
  package var recordsSound: Bool?
  /// The path of the last recording; it differs from the wanted one if another file had that name.
  package var recorded: String?
  /// The error that ended the last recording by itself; `nil` if there was none.
  package var recordingFault: String?
  /// Whether the session is paused, mirrored, and on standby by request.
  package var isPaused = false, isMirrored = false, isOnStandby = false
  /// Whether the look shows the real background, and whether others may see it.
  package var lookShowsRealBackground = false, showsRealBackground = false
  /// The source of the last mattes, named as in ``/Backdrop/Evidence/Origin``; `nil` before the first.
  package var subjectFrom: Evidence.Origin?
  package var look = "backdrop"
  /// The values of the look's parameters.
  package var parameters: [String: Double] = [:]
  package var background = ""
  /// The session's settings, by the names that `set` takes.
  package var settings: [String: ParameterValue] = [:]
  /// The parameters of the look and the session that have no effect on this camera at present, each with the fact that
  /// it lacks.
  package var inactive: [String: StreamFact] = [:]

  package init() {}
}
