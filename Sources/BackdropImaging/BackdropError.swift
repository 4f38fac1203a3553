/// Why something could not be done, sorted by who must act.
///
/// The message carries the values that matter ("expected 640×480, found 641×480"); the path, if any, is kept apart and
/// printed last. It is one line; what to do about it is its ``remedy``. Neither names a flag or a command: what does is said by
/// the program that has them, by the remedy's code. What a program does next depends on kinds and codes, never on texts.
public struct BackdropError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The party that must act.
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

  /// The party that must act.
  public var kind: Kind
  /// The error in one line, without the path.
  public var message: String
  /// The file or device concerned.
  public var path: String?
  /// The remedy.
  public var remedy: Remedy?
  /// The remedy, in one line that fits everywhere.
  public var hint: String? { remedy?.text }

  /// Makes an error; `message` is made a single line, since names and words of files in it may hold anything.
  public init(_ kind: Kind, _ message: String, path: String? = nil, hint: Remedy?) {
    self.kind = kind
    self.message = message.oneLine
    self.path = path
    remedy = hint
  }

  /// Makes an error whose hint reads the same everywhere; `message` and `hint` are made single lines.
  public init(_ kind: Kind, _ message: String, path: String? = nil, hint: String? = nil) {
    self.init(kind, message, path: path, hint: hint.map { Remedy($0.oneLine) })
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
