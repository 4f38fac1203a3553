/// An error, classified by the party that must act.
///
/// The message is one line with the relevant values ("expected 640×480, found 641×480"); the path is separate and printed last. The
/// ``hint`` says what to do. Neither names a flag or a command: a program that has them words the hint by its code. Programs decide by
/// kinds and codes, never by texts.
public struct BackdropError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The party that must act.
  public enum Kind: String, Sendable {
    /// The file or stream is damaged, or not of its claimed kind.
    case badData
    /// The data is valid, but this program (or this build of it) does not support it.
    case unsupported
    /// The caller made an invalid request.
    case wrongArgument
    /// A size, count or time limit would be exceeded.
    case overLimit
    /// The operating system, a device or another library refused.
    case system
    /// The user stopped the work.
    case interrupted
  }

  /// The party that must act.
  public var kind: Kind
  /// The error in one line, without the path.
  public var message: String
  /// The affected file or device.
  public var path: String?
  /// What to do.
  public var hint: Hint?

  /// Makes an error. `message` becomes a single line, since file names and file contents in it may contain any character.
  public init(_ kind: Kind, _ message: String, path: String? = nil, hint: Hint?) {
    (self.kind, self.message, self.path, self.hint) = (kind, message.oneLine, path, hint)
  }

  /// Makes an error whose hint is the same everywhere; `message` and `hint` become single lines.
  public init(_ kind: Kind, _ message: String, path: String? = nil, hint: String? = nil) {
    self.init(kind, message, path: path, hint: hint.map { Hint($0.oneLine) })
  }

  /// The message, with the path last.
  public var description: String {
    guard let path else { return message }
    return "\(message): \(path)"
  }

  /// The same error, with the path filled in if it had none.
  public func at(_ path: String) -> BackdropError {
    var copy = self
    copy.path = copy.path ?? path
    return copy
  }
}
