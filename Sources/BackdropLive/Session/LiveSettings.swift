import BackdropImaging
import BackdropMedia

/// Everything that a person can set of a live session; what a configuration file holds.
public struct LiveSettings: Sendable, Codable, Equatable {
  /// How a picture fits a frame of another shape.
  public enum Fit: String, Sendable, Codable, CaseIterable {
    /// Fills it; what is outside is cut off.
    case crop
    /// All of it is seen, with black beside it.
    case fit
  }

  /// The camera: an address that ``LiveInputs`` opens; `auto` for the first one there is.
  public var camera = "auto"
  /// Size and rate that the camera is asked for, which are those of the outputs too.
  public var wish = CameraWish()
  /// The look's identifier or file.
  public var look = "backdrop"
  /// What its parameters are set to.
  public var parameters: [String: Double] = [:]
  /// What is behind, as ``JobBackground`` reads it.
  public var background = "scene:northern"
  /// What there is to change to, in order; ``background`` need not be among them.
  public var backgrounds: [String] = ["scene:northern", "scene:dunes", "scene:loft", "blur"]
  /// A picture that is shown whenever there is no good matte; `nil` for the background alone.
  public var card: String?
  /// What mattes are made from.
  public var matte = Job.MatteChoice.auto
  /// The person network; `nil` for the usual ones.
  public var model: String?
  /// How much the picture's edges decide, 0…1; `nil` for the usual.
  public var refinement: Double?
  /// How much mattes are steadied over time, 0…1; `nil` for the usual.
  public var smoothing: Double?
  /// How many mattes a second at most; `nil` for one a frame.
  public var mattesPerSecond: Double?
  /// How much light of the background falls round the person's edges, 0…1.
  public var lightWrap = 0.0
  /// Where depth ends the foreground, in metres; `nil` to follow the face.
  public var cutoffMetres: Double?
  /// What cleans the depth, as `--filter` writes it.
  public var depthFilter = "raw"
  /// Whether left and right are swapped.
  public var mirror = false
  /// Quarter turns to the right, 0…3.
  public var turns = 0
  /// How the camera's picture fits the output.
  public var fit = Fit.crop
  /// How much of one processor may be used, in percent; `nil` for all there is.
  public var maxCPU: Double?
  /// Whether the camera runs even while nobody watches.
  public var alwaysOn = false
  /// Where the pictures go: `pipewire`, `/dev/videoN` of v4l2loopback, `window`, `-` (YUV4MPEG2), `null`, or a video file.
  public var outputs = ["pipewire"]
  /// What call programs call the virtual camera.
  public var cameraName = "Backdrop"

  /// The defaults.
  public init() {}
}
