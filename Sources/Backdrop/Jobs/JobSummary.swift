/// What a job did.
public struct JobSummary: Codable, Sendable {
  /// A frame that was not drawn as it should be.
  public struct Fault: Codable, Sendable {
    /// Its number, from 1.
    public var frame: Int
    /// Why.
    public var reason: String
  }

  /// Where the frames came from.
  public var input: String
  /// What was written.
  public var outputs: [String] = []
  /// Frames written.
  public var frames = 0
  /// Frames in place of which a still card is shown, since they had no usable matte.
  public var cards: [Fault] = []
  /// Frames that could not be read and were left out.
  public var skipped: [Fault] = []
  /// Wall-clock time.
  public var seconds = 0.0
  /// Frames in a second of wall-clock time.
  public var framesPerSecond = 0.0
  /// Mean part of the frames that is foreground.
  public var coverage = 0.0
  /// What made the mattes: `depth`, `person` (a network), or `depth and person`.
  public var mattesFrom = ""
  /// Cutoff of the last frame in metres.
  public var cutoffMetres: Double?
  /// Whether whoever read the frames from a pipe went away before the last.
  public var readerIsGone = false
  /// Things worth telling.
  public var warnings: [String] = []

  /// An empty summary.
  public init(input: String) { self.input = input }
}
