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
  public var framesPerSecond: Double { seconds > 0 ? Double(frames) / seconds : 0 }
  /// Mean part of the frames that is foreground.
  public var coverage = 0.0
  /// Cutoff of the last frame in metres.
  public var cutoffMetres: Double?
  /// Things worth telling.
  public var warnings: [String] = []

  /// An empty summary.
  public init(input: String) { self.input = input }

  private enum CodingKeys: String, CodingKey {
    case input, outputs, frames, cards, skipped, seconds, framesPerSecond, coverage, cutoffMetres, warnings
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    input = try values.decode(String.self, forKey: .input)
    outputs = try values.decode([String].self, forKey: .outputs)
    frames = try values.decode(Int.self, forKey: .frames)
    cards = try values.decode([Fault].self, forKey: .cards)
    skipped = try values.decode([Fault].self, forKey: .skipped)
    seconds = try values.decode(Double.self, forKey: .seconds)
    coverage = try values.decode(Double.self, forKey: .coverage)
    cutoffMetres = try values.decodeIfPresent(Double.self, forKey: .cutoffMetres)
    warnings = try values.decode([String].self, forKey: .warnings)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(input, forKey: .input)
    try values.encode(outputs, forKey: .outputs)
    try values.encode(frames, forKey: .frames)
    try values.encode(cards, forKey: .cards)
    try values.encode(skipped, forKey: .skipped)
    try values.encode(seconds, forKey: .seconds)
    try values.encode(framesPerSecond, forKey: .framesPerSecond)
    try values.encode(coverage, forKey: .coverage)
    try values.encodeIfPresent(cutoffMetres, forKey: .cutoffMetres)
    try values.encode(warnings, forKey: .warnings)
  }
}
