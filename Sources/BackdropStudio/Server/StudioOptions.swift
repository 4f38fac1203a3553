import BackdropLive

/// How a studio runs.
public struct StudioOptions: Sendable {
  /// Where it listens; `nil` for the usual port, or the next one that is free.
  public var port: Int?
  /// Whether other machines reach it; takes a password.
  public var isPublic = false
  /// What a person on another machine, or without the token, types in.
  public var password: String?
  /// What the page's address carries; anyone who has it may do everything.
  public var token: String
  /// An existing folder for snapshots and recordings.
  public var folder = "."
  /// What the live room begins with.
  public var live = LiveSettings()

  /// Options with a token.
  public init(token: String) { self.token = token }
}
