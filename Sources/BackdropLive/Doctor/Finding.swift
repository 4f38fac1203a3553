import BackdropImaging

/// The result of one check of ``Doctor``.
package struct Finding: Sendable, Codable, Equatable {
  package enum State: String, Sendable, Codable {
    case good
    /// It works or is optional, but could be better.
    case advice
    case bad
  }

  /// The identifier of the check: `camera`, `pipewire`, `portal`, ….
  package var id: String
  package var title: String
  package var state: State
  /// The result, on one line.
  package var text: String
  /// `nil` if there is nothing to do.
  package var hint: Hint?
  /// Whether a live session cannot work without it.
  package var isEssential: Bool

  package init(
    _ id: String, _ title: String, _ state: State, _ text: String, hint: Hint? = nil, isEssential: Bool = false
  ) {
    (self.id, self.title, self.state, self.text) = (id, title, state, text)
    (self.hint, self.isEssential) = (hint, isEssential)
  }

  package var isFatal: Bool { isEssential && state == .bad }
}
