import BackdropImaging

/// An event in a live session, for its user.
package struct LiveNote: Sendable {
  package enum Kind: Sendable {
    /// The camera appeared, left or came back.
    case camera
    /// The standby frame appeared, with the reason.
    case standby
    /// The session reduced its load, or increased it again.
    case load
    /// A photo or recording began or is complete.
    case file
    /// An output ended, or a request failed.
    case trouble
  }

  package var kind: Kind
  /// The event, in one line.
  package var text: String
  package var hint: Hint?

  init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }

  init(_ kind: Kind, _ prefix: String, _ error: BackdropError) {
    self.init(kind, prefix + error.description)
    hint = error.hint
  }

  /// The whole note in one line, with the program's wording of the hint.
  package func line(_ wording: (Hint) -> String = \.text) -> String {
    text + (hint.map { " (\(wording($0)))" } ?? "")
  }
}
