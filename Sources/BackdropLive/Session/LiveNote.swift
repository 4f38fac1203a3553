import BackdropImaging

/// Something that happened in a live session, for the person at the machine.
public struct LiveNote: Sendable {
  /// The subject of the note.
  public enum Kind: Sendable {
    /// The camera came, went or came back.
    case camera
    /// The standby frame is shown, and why.
    case standby
    /// A step to keep up, or back.
    case load
    /// A photo or recording began or is there.
    case file
    /// An output ended, or a request could not be met.
    case trouble
  }

  /// The subject of the note.
  public var kind: Kind
  /// The event, in one line.
  public var text: String
  /// The remedy.
  public var remedy: Remedy?

  init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }

  /// The error and its remedy.
  init(_ kind: Kind, _ prefix: String, _ error: BackdropError) {
    self.init(kind, prefix + error.description)
    remedy = error.remedy
  }

  /// All of it in one line, the remedy as the program says it.
  public func line(_ wording: (Remedy) -> String = \.text) -> String {
    text + (remedy.map { " (\(wording($0)))" } ?? "")
  }
}
