/// Values at given times of a video, in the order of the times. Between two keys the value changes linearly; before the first and after
/// the last it is constant. See ``Keyframes`` of a parameter, and ``BackgroundKeyframes``.
public struct KeyframeList<Value: Sendable>: Sendable {
  /// The value at one time.
  public struct Key: Sendable {
    /// Seconds from the result's first frame.
    public var seconds: Double
    /// The value.
    public var value: Value

    /// Makes a key.
    public init(seconds: Double, value: Value) { (self.seconds, self.value) = (seconds, value) }
  }

  /// The keys in the order of their times.
  public let keys: [Key]

  /// Sorts keys by time; keys at the same time keep their order. `maximumAtOnce` keys may have one time.
  init(sorting keys: [Key], maximum: Int, atOnce maximumAtOnce: Int) throws(BackdropError) {
    // Swift's sort is stable.
    let sorted = keys.sorted { $0.seconds < $1.seconds }
    guard (1...maximum).contains(sorted.count) else {
      throw BackdropError(.wrongArgument, "you gave \(keys.count) keyframes", hint: "give 1 to \(maximum)")
    }
    guard sorted.allSatisfy({ $0.seconds.isFinite && $0.seconds >= 0 }) else {
      throw BackdropError(
        .wrongArgument, "a keyframe's time cannot be negative",
        hint: "give 0 or more seconds, counted from the result's first frame")
    }
    for (first, last) in zip(sorted, sorted.dropFirst(maximumAtOnce)) where first.seconds == last.seconds {
      throw BackdropError(
        .wrongArgument, "too many keyframes are at \(brief(first.seconds)) s", hint: "remove one of them")
    }
    self.keys = sorted
  }

  /// The keys before and after a time, and the weight of the second, 0…1; outside all keys both are the same.
  func segment(at seconds: Double) -> (from: Int, to: Int, part: Double) {
    guard let next = keys.firstIndex(where: { $0.seconds > seconds }) else {
      return (keys.count - 1, keys.count - 1, 0)
    }
    guard next > 0 else { return (0, 0, 0) }
    let (from, to) = (keys[next - 1].seconds, keys[next].seconds)
    return (next - 1, next, (seconds - from) / (to - from))
  }
}

extension KeyframeList: Equatable where Value: Equatable {}
extension KeyframeList.Key: Equatable where Value: Equatable {}
