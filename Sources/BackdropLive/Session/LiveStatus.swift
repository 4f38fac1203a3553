import Backdrop
import BackdropImaging

/// How a live session does, over the last seconds; what the status line, the socket and the page show.
public struct LiveStatus: Sendable, Codable, Equatable {
  /// The current picture.
  public enum Showing: String, Sendable, Codable {
    /// The scene, as the look draws it.
    case scene
    /// The standby frame.
    case standby
    /// A picture that is held.
    case frozen
  }

  /// The current picture.
  public var showing = Showing.standby
  /// Why it is the standby frame, in one line; `nil` otherwise.
  public var reason: String?
  /// The remedy.
  public var hint: Remedy?
  /// The camera, as a person calls it.
  public var camera = ""
  /// How it delivers, as `1280×720 yuyv 30/s, depth 640×480`.
  public var cameraMode = ""
  /// Frames a second that it promises.
  public var cameraRate = 0.0
  /// Whether the camera runs.
  public var isCameraOn = false
  /// Whether distances come.
  public var hasDepth = false
  /// Programs and pages that watch.
  public var watchers = 0
  /// Frames that came, and pictures that went out, in a second.
  public var framesIn = 0.0, framesOut = 0.0
  /// Mattes in a second.
  public var mattes = 0.0
  /// From a picture's capture until it was handed out, in milliseconds: the middle, and what 95 % stay below.
  public var latency50 = 0.0, latency95 = 0.0
  /// Frames that a newer one overtook, since the start.
  public var dropped = 0
  /// Steps taken to keep up, 0 for none.
  public var loadStep = 0
  /// The effect of the last step, such as `20 frames/s`; `nil` for none.
  public var loadSummary: String?
  /// Processor time used, in percent of one.
  public var cpu = 0.0
  /// Size of the outputs.
  public var width = 0, height = 0
  /// The file that is being recorded.
  public var recording: String?
  /// How many seconds of it are written.
  public var recordingSeconds: Double?
  /// Whether it has sound; `nil` while nothing is recorded.
  public var recordsSound: Bool?
  /// The name of the last recording; it differs from the wanted one if that was taken.
  public var recorded: String?
  /// Why the last recording ended by itself; `nil` if it did not.
  public var recordingFault: String?
  /// Whether paused, mirrored, and on standby since somebody asked for it.
  public var isPaused = false, isMirrored = false, isOnStandby = false
  /// Whether the look shows the real background, and whether others may see that.
  public var lookShowsRealBackground = false, showsRealBackground = false
  /// The source of the last mattes, as ``/Backdrop/Evidence/Origin`` names it; `nil` before the first.
  public var subjectFrom: Evidence.Origin?
  /// The look, its parameters, and the background.
  public var look = "backdrop"
  /// The values of the look's parameters.
  public var parameters: [String: Double] = [:]
  /// The background.
  public var background = ""
  /// The session's settings, by the names that `set` takes.
  public var settings: [String: ParameterValue] = [:]
  /// Parameters of look and session that have no effect on this camera now, and what they lack.
  public var inactive: [String: StreamFact] = [:]

  /// Nothing yet.
  public init() {}
}
