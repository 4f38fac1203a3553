import BackdropImaging

/// Manual corrections of a matte: strokes of a brush that keep or erase, in order.
///
/// It is independent of pixels, so that one touch-up fits a preview and the whole photo. As a file it is JSON:
///
///     {"version": 1, "strokes": [{"does": "keep", "size": 0.02, "softness": 0.5, "edges": true, "points": [0.41, 0.2, 0.43, 0.22]}]}
public struct TouchUp: Sendable, Equatable {
  /// One stroke of the brush.
  public struct Stroke: Sendable, Equatable {
    /// The effect of a stroke.
    public enum Action: String, Sendable, Codable, CaseIterable {
      /// The area under the stroke belongs to the subject.
      case keep
      /// The area under the stroke does not belong to the subject.
      case erase
    }

    /// The effect.
    public var action: Action
    /// Radius of the brush, as a fraction of the picture's longer side, 0.0005…0.5.
    public var size: Double
    /// The fraction of the radius over which the brush fades out, 0…1.
    public var softness: Double
    /// Whether it ends at the picture's own edges, within the brush.
    public var followsEdges: Bool
    /// The path: fractions of the upright picture's width and height, 0…1, from the upper left corner.
    public var points: [SIMD2<Double>]

    /// Makes a stroke.
    public init(
      _ action: Action, size: Double, softness: Double = 0.5, followsEdges: Bool = false, points: [SIMD2<Double>]
    ) {
      (self.action, self.size, self.softness) = (action, size, softness)
      (self.followsEdges, self.points) = (followsEdges, points)
    }
  }

  /// The strokes, in order.
  public var strokes: [Stroke]

  /// Makes a touch-up.
  public init(_ strokes: [Stroke] = []) { self.strokes = strokes }

  /// Whether any stroke keeps something.
  public var keepsSomething: Bool { strokes.contains { $0.action == .keep } }

  /// The most strokes, points per stroke, and points in total.
  public static let maximumStrokes = 500, maximumPointsOfStroke = 4000, maximumPoints = 50_000
  /// The valid brush sizes.
  public static let sizes = 0.0005...0.5

  private static let hint: Hint = "save one in the studio, or see docs/photos.md for the format"

  /// Refuses invalid strokes.
  ///
  /// - Throws: `overLimit` for too many strokes or points; `badData` for numbers out of range.
  public func check() throws(BackdropError) {
    func over(_ what: String) -> BackdropError { BackdropError(.overLimit, what, hint: Self.hint) }
    guard strokes.count <= Self.maximumStrokes else {
      throw over("the touch-up has \(strokes.count) strokes; the limit is \(Self.maximumStrokes)")
    }
    var count = 0
    for (index, stroke) in strokes.enumerated() {
      func bad(_ what: String) -> BackdropError {
        BackdropError(.badData, "stroke \(index + 1) \(what)", hint: Self.hint)
      }
      count += stroke.points.count
      guard stroke.points.count <= Self.maximumPointsOfStroke && count <= Self.maximumPoints else {
        throw over(
          "the touch-up has too many points; the limit is \(Self.maximumPointsOfStroke) per stroke and \(Self.maximumPoints) in all"
        )
      }
      guard !stroke.points.isEmpty else { throw bad("has no points") }
      guard Self.sizes.contains(stroke.size) else {
        throw bad("has a size of \(brief(stroke.size)); it must be in 0.0005…0.5")
      }
      guard (0...1).contains(stroke.softness) else {
        throw bad("has a softness of \(brief(stroke.softness)); it must be in 0…1")
      }
      for point in stroke.points where !((0...1).contains(point.x) && (0...1).contains(point.y)) {
        throw bad("leaves the picture at \(brief(point.x)), \(brief(point.y)); coordinates are 0…1")
      }
    }
  }
}

extension TouchUp: Codable {
  private enum CodingKeys: String, CodingKey { case version, strokes }

  /// Reads what ``encode(to:)`` writes.
  ///
  /// - Throws: `DecodingError` for another version, or other data.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version == 1 else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container, debugDescription: "version \(version) is unknown; use version 1")
    }
    strokes = try container.decode([Stroke].self, forKey: .strokes)
  }

  /// Writes version and strokes.
  ///
  /// - Throws: errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(1, forKey: .version)
    try container.encode(strokes, forKey: .strokes)
  }
}

extension TouchUp.Stroke: Codable {
  private enum CodingKeys: String, CodingKey { case does, size, softness, edges, points }

  /// Reads what ``encode(to:)`` writes.
  ///
  /// - Throws: `DecodingError` for other data.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    action = try container.decode(Action.self, forKey: .does)
    size = try container.decode(Double.self, forKey: .size)
    softness = try container.decode(Double.self, forKey: .softness)
    followsEdges = try container.decode(Bool.self, forKey: .edges)
    let numbers = try container.decode([Double].self, forKey: .points)
    guard numbers.count.isMultiple(of: 2) else {
      throw DecodingError.dataCorruptedError(
        forKey: .points, in: container,
        debugDescription: "points must be pairs of numbers, and this list has \(numbers.count)")
    }
    points = stride(from: 0, to: numbers.count, by: 2).map { SIMD2(numbers[$0], numbers[$0 + 1]) }
  }

  /// Writes an object, its points as one list of numbers.
  ///
  /// - Throws: errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(action, forKey: .does)
    try container.encode(size, forKey: .size)
    try container.encode(softness, forKey: .softness)
    try container.encode(followsEdges, forKey: .edges)
    try container.encode(points.flatMap { [$0.x, $0.y] }, forKey: .points)
  }
}

extension TouchUp {
  package static let maximumBytes = 2 << 20

  /// Reads a touch-up from JSON.
  ///
  /// - Throws: `badData` for other data; as ``check()``.
  public init(json bytes: [UInt8]) throws(BackdropError) {
    guard bytes.count <= Self.maximumBytes else {
      throw BackdropError(.overLimit, "the touch-up is longer than \(Self.maximumBytes >> 20) MiB", hint: Self.hint)
    }
    self = try JSONReader.decode(
      bytes, failure: BackdropError(.badData, "this file is not a touch-up", hint: Self.hint))
    try check()
  }

  /// Reads a file.
  ///
  /// - Throws: `wrongArgument` if the file does not exist; as ``init(json:)``.
  public init(file path: String) throws(BackdropError) {
    let bytes = try InputFile.read(path, limit: Self.maximumBytes)
    do throws(BackdropError) {
      try self.init(json: bytes)
    } catch {
      throw error.at(path)
    }
  }

  /// The JSON that ``init(json:)`` reads.
  ///
  /// - Throws: as ``check()``.
  public func json() throws(BackdropError) -> [UInt8] {
    try check()
    do {
      return try JSONWriter().encode(self)
    } catch {
      preconditionFailure("numbers that were checked can be written: \(error)")
    }
  }
}
