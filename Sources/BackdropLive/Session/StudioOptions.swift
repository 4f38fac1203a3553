package struct StudioOptions: Sendable, Codable {
  /// The ports to try if none is given.
  package static let ports = 7230...7249
  /// The minimum length of a password, in bytes.
  package static let minimumPassword = 8
  /// The seconds for which a link is valid.
  package static let linkLife = 30

  /// The port; `nil` for the first free one of ``ports``.
  package var port: Int?
  /// Whether other machines can connect; requires a password.
  package var isPublic = false
  /// The password for other computers, at least ``minimumPassword`` bytes.
  package var password: String?
  /// An existing folder for snapshots and recordings.
  package var folder = "."
  /// The folder of videos, exports and settings that survive a restart; `nil` for the default.
  package var state: String?
  /// Whether the page asks for a camera at the first start, and later starts use the last one. If not, ``live`` names
  /// the camera.
  package var asksForCamera = false
  package var live = LiveSettings()

  package init() {}
}
