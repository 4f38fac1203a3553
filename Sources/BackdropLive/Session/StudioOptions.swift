/// The options of a studio.
public struct StudioOptions: Sendable, Codable {
  /// The ports to try if none is given.
  public static let ports = 7230...7249
  /// The minimum length of a password, in bytes.
  public static let minimumPassword = 8
  /// The seconds for which a link is valid.
  public static let linkLife = 30

  /// The port; `nil` for the first free one of ``ports``.
  public var port: Int?
  /// Whether other machines can connect; requires a password.
  public var isPublic = false
  /// The password for other computers, at least ``minimumPassword`` bytes.
  public var password: String?
  /// An existing folder for snapshots and recordings.
  public var folder = "."
  /// The folder of videos, exports and settings that survive a restart; `nil` for the default.
  public var state: String?
  /// Whether the page asks for a camera at the first start, and later starts use the last one. If not, ``live`` names
  /// the camera.
  public var asksForCamera = false
  /// The first settings of the live workspace.
  public var live = LiveSettings()

  /// The defaults.
  public init() {}
}
