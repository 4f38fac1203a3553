/// A fault of one frame of a stream.
public protocol StreamFault: Sendable {
  /// The frame's number, from 1.
  var frame: Int { get }
  /// The fault, in the same words for all frames.
  var reason: String { get }
}

/// Counts the faults of a stream by reason, and keeps the first ones. A damaged or hostile file, or a camera that runs for days, can cause
/// millions of faults, so memory is bounded: it keeps 100 faults and four reasons.
public struct FaultTally<Fault: StreamFault>: Sendable {
  /// The number of faults.
  public private(set) var count = 0
  /// The first faults, at most 100.
  public private(set) var first: [Fault] = []
  private var groups: [Group] = []

  private struct Group: Sendable {
    var reason: String
    var first: Fault
    var count: Int
  }

  private static var limits: (first: Int, groups: Int) { (100, 4) }

  /// An empty tally.
  public init() {}

  /// Whether there are no faults.
  public var isEmpty: Bool { count == 0 }

  /// Adds a fault.
  public mutating func append(_ fault: Fault) {
    count += 1
    if first.count < Self.limits.first { first.append(fault) }
    add(Group(reason: fault.reason, first: fault, count: 1))
  }

  private mutating func add(_ group: Group) {
    if let index = groups.firstIndex(where: { $0.reason == group.reason }) {
      groups[index].count += group.count
    } else if groups.count < Self.limits.groups {
      groups.append(group)
    }
  }

  /// The same faults in another form, grouped as before.
  public func map<Other>(_ transform: (Fault) -> Other) -> FaultTally<Other> {
    var result = FaultTally<Other>()
    result.count = count
    result.first = first.map(transform)
    result.groups = groups.map { .init(reason: $0.reason, first: transform($0.first), count: $0.count) }
    return result
  }

  /// The faults of both.
  public static func + (a: Self, b: Self) -> Self {
    var result = a
    result.count += b.count
    result.first += b.first.prefix(limits.first - result.first.count)
    for group in b.groups { result.add(group) }
    return result
  }

  /// A line for each reason, at most four, and one for all others.
  ///
  ///     frame 6 was left out: the file is empty: rgb/6.png
  ///     37 frames were left out, first frame 12: it has no depth
  ///     5 more frames were left out
  ///
  /// - Parameters:
  ///   - one: the predicate for a single frame, such as `was left out`.
  ///   - many: the predicate for several frames.
  public func warnings(_ one: String, _ many: String) -> [Warning] {
    var lines = groups.map { group in
      Warning(
        group.count == 1
          ? "frame \(group.first.frame) \(one): \(group.first.reason)"
          : "\(group.count) frames \(many), first frame \(group.first.frame): \(group.first.reason)")
    }
    let others = count - groups.reduce(0) { $0 + $1.count }
    if others > 0 { lines.append(others == 1 ? "1 more frame \(one)" : "\(others) more frames \(many)") }
    return lines
  }
}

extension FaultTally: Codable where Fault: Codable {
  private enum CodingKeys: String, CodingKey { case count, first }

  /// Reads an object with `count` and `first`.
  ///
  /// - Throws: `DecodingError` for other data.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    for fault in try container.decode([Fault].self, forKey: .first) { append(fault) }
    count = try container.decode(Int.self, forKey: .count)
  }

  /// Writes an object with `count` and `first`.
  ///
  /// - Throws: errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(count, forKey: .count)
    try container.encode(first, forKey: .first)
  }
}

/// A frame that was skipped or drawn incorrectly.
public struct FrameFault: StreamFault, Codable, Equatable {
  /// The frame's number, from 1.
  public var frame: Int
  /// The fault, in the same words for all frames.
  public var reason: String
  /// The hint.
  public var hint: Hint?

  /// Makes a fault.
  public init(frame: Int, reason: String, hint: Hint? = nil) {
    (self.frame, self.reason, self.hint) = (frame, reason, hint)
  }
}
