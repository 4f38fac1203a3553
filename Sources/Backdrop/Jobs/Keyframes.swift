import BackdropImaging
import BackdropLooks

/// Values that a parameter of a look has at times of a video. Between two of them it changes evenly; before the first and after
/// the last it stays.
///
///     plan.keyframes["radius"] = try Keyframes("0@0,20@3.5")
public struct Keyframes: Sendable, Equatable {
  /// The value at one time.
  public struct Key: Sendable, Equatable, Codable {
    /// Seconds from the result's first frame.
    public var seconds: Double
    /// In the parameter's unit.
    public var value: Double

    /// Makes a key.
    public init(seconds: Double, value: Double) { (self.seconds, self.value) = (seconds, value) }
  }

  /// In the order of their times.
  public let keys: [Key]
  /// Keys of one parameter at most.
  public static let maximumCount = 1000

  /// Puts keys in order.
  ///
  /// - Throws: `wrongArgument` for none, too many, two at one time, or a time that is negative or no number.
  public init(_ keys: [Key]) throws(BackdropError) {
    let sorted = keys.sorted { $0.seconds < $1.seconds }
    guard (1...Self.maximumCount).contains(sorted.count) else {
      throw BackdropError(.wrongArgument, "there are \(keys.count) keyframes", hint: "give 1 to \(Self.maximumCount)")
    }
    guard sorted.allSatisfy({ $0.seconds.isFinite && $0.seconds >= 0 && $0.value.isFinite }) else {
      throw BackdropError(
        .wrongArgument, "a keyframe's time is counted from the result's first frame", hint: "write VALUE@SECONDS")
    }
    for (first, second) in zip(sorted, sorted.dropFirst()) where first.seconds == second.seconds {
      throw BackdropError(
        .wrongArgument, "there are two keyframes at \(brief(first.seconds)) s", hint: "leave one of them out")
    }
    self.keys = sorted
  }

  /// Reads `VALUE@TIME,VALUE@TIME`, each time as ``TimeInVideo`` does.
  ///
  /// - Throws: `wrongArgument` for anything else.
  public init(_ text: String) throws(BackdropError) {
    var keys: [Key] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = part.split(separator: "@", omittingEmptySubsequences: false)
      guard halves.count == 2, let value = Double(halves[0]) else {
        throw BackdropError(
          .wrongArgument, "'\(text)' is not a list of keyframes", hint: "write VALUE@TIME,VALUE@TIME, as 0@0,20@3.5")
      }
      keys.append(Key(seconds: try TimeInVideo(parsing: String(halves[1])).seconds, value: value))
    }
    try self.init(keys)
  }

  /// The value at a time in seconds.
  public func value(at seconds: Double) -> Double {
    guard let next = keys.firstIndex(where: { $0.seconds > seconds }) else { return keys[keys.count - 1].value }
    guard next > 0 else { return keys[0].value }
    let (from, to) = (keys[next - 1], keys[next])
    return from.value + (to.value - from.value) * (seconds - from.seconds) / (to.seconds - from.seconds)
  }
}

extension Job.Plan {
  /// What the look's parameters are set to at a time of the result, in seconds.
  package func values(at seconds: Double) -> [String: Double] {
    values.merging(keyframes.mapValues { $0.value(at: seconds) }) { $1 }
  }

  /// Refuses keyframes of what the look does not have, out of range, or beside other values.
  func checkKeyframes(_ source: any SceneSource) throws(BackdropError) {
    guard !keyframes.isEmpty else { return }
    guard !source.isStill else {
      throw BackdropError(
        .wrongArgument, "a single picture takes no keyframes", path: source.name, hint: "give one value instead")
    }
    for (name, frames) in keyframes.sorted(by: { $0.key < $1.key }) {
      guard values[name] == nil else {
        throw BackdropError(.wrongArgument, "\(name) is given twice", hint: "give one value, or keyframes")
      }
      if focus != nil && look.focusParameter == name {
        throw BackdropError(.wrongArgument, "the focus is given twice", hint: "give a place or \(name)")
      }
      for key in frames.keys { _ = try look.settings(values.merging([name: key.value]) { $1 }) }
    }
  }
}
