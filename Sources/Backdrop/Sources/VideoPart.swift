/// A part of a moving input, with its size and rate.
public struct VideoPart: Sendable, Equatable {
  /// Its start; `nil` for the input's start.
  public var start: TimeInVideo?
  /// Its length; `nil` up to the input's end.
  public var duration: TimeInVideo?
  /// Width and height; a picture of another shape is scaled to fill it and cropped. `nil` for the input's size.
  public var size: FrameSize?
  /// Frames per second; each frame shows the scene visible at its time. `nil` for the input's own times.
  public var framesPerSecond: Double?

  /// The whole input, unchanged.
  public init() {}

  var isEverything: Bool { self == VideoPart() }

  var seconds: Range<Double> {
    let begin = start?.seconds ?? 0
    return begin..<(duration.map { begin + $0.seconds } ?? .infinity)
  }

  func check() throws(BackdropError) {
    guard let duration, duration.seconds <= 0 else { return }
    throw BackdropError(.wrongArgument, "a duration of 0 leaves nothing to use", hint: TimeInVideo.hint)
  }
}

extension VideoPart: Parameterized {
  package static let parameters: ParameterTable<Self> = [
    .part: [
      .text("start", "Start at this time of the video", \.start, automatic: "its beginning"),
      .text("duration", "Stop after this long", \.duration, automatic: "to the end"),
      .text(
        "size", "Size of the result; Backdrop fills it and crops a picture of another shape", \.size,
        automatic: "the input's"),
      .number(
        "fps", "Frames per second; Backdrop repeats or drops frames to keep the speed", \.framesPerSecond, in: 1...240,
        automatic: "the input's"),
    ]
  ]
}

/// A time in a video, written as seconds (`12.5`), minutes and seconds (`1:02.5`), or hours too (`1:00:02.5`).
public struct TimeInVideo: Sendable, Equatable, ParameterText {
  package static var form: String { "[[H:]M:]S" }
  fileprivate static let hint: Hint = "write seconds, such as 12.5, or minutes and seconds, such as 1:02.5"
  /// Seconds from the beginning.
  public var seconds: Double

  /// Makes a time.
  public init(seconds: Double) { self.seconds = seconds }

  package init(parsing text: String) throws(BackdropError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    // A point and digits only: no sign, no exponent.
    let isPlain = parts.allSatisfy { part in
      !part.isEmpty
        && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }
    }
    let numbers = parts.map { Double($0) }
    guard isPlain, (1...3).contains(parts.count), !numbers.contains(nil),
      parts.dropLast().allSatisfy({ !$0.contains(".") })
    else {
      throw BackdropError(.wrongArgument, "'\(text)' is not a time", hint: Self.hint)
    }
    let values = numbers.compactMap { $0 }
    guard values.dropFirst().allSatisfy({ $0 < 60 }) else {
      throw BackdropError(
        .wrongArgument, "'\(text)' is not a time: minutes and seconds after a colon must be below 60", hint: Self.hint)
    }
    seconds = values.reduce(0) { $0 * 60 + $1 }
    guard seconds <= 1_000_000 else {
      throw BackdropError(.wrongArgument, "'\(text)' is longer than any video", hint: Self.hint)
    }
  }

  /// The time in seconds.
  public var description: String { brief(seconds) }
}

/// Width and height, written as `1280x720`.
public struct FrameSize: Sendable, Equatable, ParameterText {
  package static var form: String { "WIDTHxHEIGHT" }

  /// In pixels.
  public var width: Int, height: Int

  /// Makes a size.
  public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

  package init(parsing text: String) throws(BackdropError) {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]) else {
      throw BackdropError(.wrongArgument, "'\(text)' is not a size", hint: "write 1280x720")
    }
    self.init(width: width, height: height)
    try check()
  }

  /// `1280x720`
  public var description: String { "\(width)x\(height)" }

  package func check() throws(BackdropError) {
    guard (64...4096).contains(width), (64...4096).contains(height), width.isMultiple(of: 2), height.isMultiple(of: 2)
    else {
      throw BackdropError(
        .wrongArgument, "a size of \(width)×\(height) is out of range", hint: "use even sides from 64 to 4096")
    }
  }
}
