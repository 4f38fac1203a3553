import BackdropLive

/// How a studio runs.
public struct StudioOptions: Sendable {
  /// Where it listens; `nil` for the usual port, or the next one that is free.
  public var port: Int?
  /// Whether other machines reach it; takes a password.
  public var isPublic = false
  /// The password for other computers, at least ``Studio/minimumPassword`` bytes.
  public var password: String?
  /// An existing folder for snapshots and recordings.
  public var folder = "."
  /// Where videos, exports and what was set are kept from one start to the next; `nil` for the usual place.
  public var state: String?
  /// Whether the page asks for a camera at the first start, and later ones take the last; otherwise ``live`` says.
  public var asksForCamera = false
  /// The first settings of the live workspace.
  public var live = LiveSettings()

  /// The usual ones.
  public init() {}
}
