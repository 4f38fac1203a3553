/// The values of a look's parameter at times of a video, in the parameter's unit.
///
///     plan.keyframes["radius"] = try Keyframes("0@0,20@3.5")
public typealias Keyframes = KeyframeList<Double>

extension KeyframeList where Value == Double {
  /// The most keys of one parameter.
  public static var maximumCount: Int { 1000 }

  /// Sorts keys by time.
  ///
  /// - Throws: `wrongArgument` for no keys, too many, two at one time, or a time that is negative or not a number.
  public init(_ keys: [Key]) throws(BackdropError) {
    guard keys.allSatisfy(\.value.isFinite) else {
      throw BackdropError(.wrongArgument, "a keyframe's value is not a number", hint: "give a number")
    }
    try self.init(sorting: keys, maximum: Self.maximumCount, atOnce: 1)
  }

  /// Parses `VALUE@TIME,VALUE@TIME`, each time as ``TimeInVideo`` parses it.
  ///
  /// - Throws: `wrongArgument` for anything else.
  public init(_ text: String) throws(BackdropError) {
    var keys: [Key] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = part.split(separator: "@", omittingEmptySubsequences: false)
      guard halves.count == 2, let value = Double(halves[0]) else {
        throw BackdropError(
          .wrongArgument, "'\(text)' is not a list of keyframes",
          hint: "write VALUE@TIME,VALUE@TIME, such as 0@0,20@3.5")
      }
      keys.append(Key(seconds: try TimeInVideo(parsing: String(halves[1])).seconds, value: value))
    }
    try self.init(keys)
  }

  /// The value at a time in seconds.
  public func value(at seconds: Double) -> Double {
    let segment = segment(at: seconds)
    let from = keys[segment.from].value
    return from + (keys[segment.to].value - from) * segment.part
  }
}

extension Job.Plan {
  /// The look's parameter values at a time of the result, in seconds.
  package func lookValues(at seconds: Double) -> [String: Double] {
    settings.values.merging(keyframes.mapValues { $0.value(at: seconds) }) { $1 }
  }

  /// Refuses keyframes of parameters that the look does not have, with values out of range, or of parameters that also have one value.
  func checkKeyframes(_ source: any SceneSource) throws(BackdropError) {
    let backgroundMoves = if case .keyframes = settings.background { true } else { false }
    guard !keyframes.isEmpty || backgroundMoves else { return }
    guard !source.isStill else {
      throw BackdropError(
        .wrongArgument, "a single picture cannot have keyframes", path: source.name, hint: "give one value instead")
    }
    for (name, frames) in keyframes.sorted(by: { $0.key < $1.key }) {
      guard settings.values[name] == nil else {
        throw BackdropError(.wrongArgument, "you gave \(name) twice", hint: "give either one value or keyframes")
      }
      if focus != nil && settings.look.focusParameter == name {
        throw BackdropError(.wrongArgument, "you set the focus twice", hint: "give a point or \(name), not both")
      }
      for key in frames.keys { _ = try settings.look.settings(settings.values.merging([name: key.value]) { $1 }) }
    }
  }
}
