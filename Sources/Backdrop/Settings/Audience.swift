/// Who sees the pictures.
public enum Audience: String, Sendable {
  /// Other people. Live, the standby frame replaces frames that show the real background by mistake, or through a look, unless that is
  /// allowed. A job fails if its result would show the real background where the look hides it, or if a single picture contains no
  /// recognized person.
  case others
  /// The user of this computer, for the user's own files: everything is drawn as requested, with warnings.
  case oneself = "self"
}

extension Audience: ParameterChoice {
  package var summary: String {
    switch self {
    case .others: "other people: Backdrop shows no picture that would show the room"
    case .oneself: "your own files: Backdrop draws every picture"
    }
  }
}
