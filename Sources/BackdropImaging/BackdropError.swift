/// Why something could not be done, sorted by who must act.
///
/// The message carries the values that matter ("expected 640×480, found 641×480"); the path, if any, is kept apart and
/// printed last. It is one line; what to do about it goes into ``hint``.
public struct BackdropError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Who must act.
  public enum Kind: String, Sendable {
    /// The file or stream is damaged or not what it says it is.
    case badData
    /// The data is fine, but this program (or this build of it) does not handle it.
    case unsupported
    /// The caller asked for something that makes no sense.
    case wrongArgument
    /// A size, count or time limit would be exceeded.
    case overLimit
    /// The operating system, a device or another library refused.
    case system
    /// The user stopped the work.
    case interrupted
  }

  /// Who must act.
  public var kind: Kind
  /// What happened, in one line, without the path.
  public var message: String
  /// The file or device concerned.
  public var path: String?
  /// What to do about it, in one line.
  public var hint: String?

  /// Makes an error; `message` and `hint` are single lines.
  public init(_ kind: Kind, _ message: String, path: String? = nil, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.path = path
    self.hint = hint
  }

  /// The message, with the path last.
  public var description: String {
    guard let path else { return message }
    return "\(message): \(path)"
  }

  /// The same error, with the path filled in where it had none.
  public func at(_ path: String) -> BackdropError {
    var copy = self
    copy.path = copy.path ?? path
    return copy
  }
}
