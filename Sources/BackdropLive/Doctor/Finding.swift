import BackdropImaging

/// The result of one check of ``Doctor``.
public struct Finding: Sendable, Codable, Equatable {
  /// The state of a checked part.
  public enum State: String, Sendable, Codable {
    /// It works as it should.
    case good
    /// It works or is optional, but could be better.
    case advice
    /// It does not work.
    case bad
  }

  /// The identifier of the check: `camera`, `pipewire`, `portal`, ….
  public var id: String
  /// The title of the check, for display.
  public var title: String
  /// The state of the checked part.
  public var state: State
  /// The result, on one line.
  public var text: String
  /// The remedy; `nil` if there is nothing to do.
  public var remedy: Remedy?
  /// Whether a live session cannot work without it.
  public var isEssential: Bool

  /// Makes a finding.
  public init(
    _ id: String, _ title: String, _ state: State, _ text: String, remedy: Remedy? = nil, isEssential: Bool = false
  ) {
    self.id = id
    self.title = title
    self.state = state
    self.text = text
    self.remedy = remedy
    self.isEssential = isEssential
  }

  /// Whether it prevents live sessions.
  public var isFatal: Bool { isEssential && state == .bad }
}
