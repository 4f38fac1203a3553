import BackdropImaging

/// The result of one check of ``Doctor``.
public struct Finding: Sendable, Codable, Equatable {
  /// The state of the thing examined.
  public enum State: String, Sendable, Codable {
    /// As it should be.
    case good
    /// It works, or is not needed, but it could be better.
    case advice
    /// It does not work.
    case bad
  }

  /// The check, for programs: `camera`, `pipewire`, `portal`, ….
  public var id: String
  /// The same for people.
  public var title: String
  /// The state of the thing examined.
  public var state: State
  /// The result, in one line.
  public var text: String
  /// The remedy; `nil` if there is nothing to do.
  public var remedy: Remedy?
  /// Whether nothing can be shown live without it.
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

  /// Whether its failure stops everything else.
  public var isFatal: Bool { isEssential && state == .bad }
}
