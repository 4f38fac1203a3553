import BackdropImaging

/// The people to keep in a picture.
///
///     var choice = PeopleChoice()
///     choice.count = .main
///     choice.drop = PicturePoints([PicturePoint(x: 820, y: 300)])
public struct PeopleChoice: Sendable, Equatable {
  /// The number of people to keep.
  public enum Count: Sendable, Equatable {
    /// Everybody.
    case all
    /// A number above 0: the largest and most central people, those with a face first.
    case number(Int)

    /// The main person alone: the largest and most central, preferably with a face.
    public static let main = Count.number(1)
  }

  /// The number of people to keep; `nil` for everybody, or only the people in ``keep``.
  public var count: Count?
  /// Points on the people to keep: in a stream, in its first picture with people.
  public var keep: PicturePoints?
  /// Points on the people to remove.
  public var drop: PicturePoints?

  /// Keeps everybody.
  public init() {}

  /// Whether everybody is kept.
  public var isEverybody: Bool { (count == nil || count == .all) && keep == nil && drop == nil }

  /// Refuses points outside a picture of that size.
  ///
  /// - Throws: `wrongArgument`.
  package func check(width: Int, height: Int) throws(BackdropError) {
    for point in (keep?.points ?? []) + (drop?.points ?? []) where !point.isInside(width: width, height: height) {
      throw BackdropError(
        .wrongArgument, "the point \(point) is outside the picture (\(width)×\(height))",
        hint: "count pixels from the upper left corner of the upright picture, or write percent, such as 50%,30%")
    }
  }
}

/// A point of an upright picture, in its pixels or in percent of its width and height; the origin is the upper left corner.
public struct PicturePoint: Sendable, Equatable, CustomStringConvertible {
  /// The distances from the left and from the top.
  public var x: Double, y: Double
  /// Whether both are percentages, not pixels.
  public var isPercent: Bool

  /// Makes a point.
  public init(x: Double, y: Double, isPercent: Bool = false) { (self.x, self.y, self.isPercent) = (x, y, isPercent) }

  /// The point in pixels of a picture of that size.
  public func pixels(width: Int, height: Int) -> SIMD2<Double> {
    isPercent ? SIMD2(x / 100 * Double(width), y / 100 * Double(height)) : SIMD2(x, y)
  }

  func isInside(width: Int, height: Int) -> Bool {
    let pixel = pixels(width: width, height: height)
    // The right and the lower edge are 100 %.
    let end = isPercent ? 0.0 : 1.0
    return pixel.x >= 0 && pixel.y >= 0 && pixel.x <= Double(width) - end && pixel.y <= Double(height) - end
  }

  /// `320,200`, or `50%,30%`.
  public var description: String {
    let sign = isPercent ? "%" : ""
    return "\(brief(x))\(sign),\(brief(y))\(sign)"
  }
}

/// One or several points, written as `320,200`, `50%,30%`, or `320,200 910,240`.
public struct PicturePoints: Sendable, Equatable, ParameterText {
  /// The points.
  public var points: [PicturePoint]

  /// Makes a list.
  public init(_ points: [PicturePoint]) { self.points = points }

  package static let form = "X,Y"
  /// A longer list is a mistake.
  private static let maximumCount = 100

  package init(parsing text: String) throws(BackdropError) {
    let hint: Hint = "write 320,200 in pixels of the upright picture, or 50%,30%; separate several with spaces"
    let words = text.split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty && words.count <= Self.maximumCount else {
      throw BackdropError(.wrongArgument, words.isEmpty ? "you gave no point" : "you gave too many points", hint: hint)
    }
    points = []
    for word in words {
      let parts = word.split(separator: ",", omittingEmptySubsequences: false)
      let isPercent = parts.allSatisfy { $0.last == "%" }
      let numbers = parts.map { Double(isPercent ? $0.dropLast() : $0) }
      guard numbers.count == 2, let x = numbers[0], let y = numbers[1], x.isFinite, y.isFinite else {
        throw BackdropError(.wrongArgument, "'\(word)' is not a point", hint: hint)
      }
      points.append(PicturePoint(x: x, y: y, isPercent: isPercent))
    }
  }

  /// The notation that users write.
  public var description: String { points.map(\.description).joined(separator: " ") }
}

extension PeopleChoice.Count: ParameterText {
  package static let form = "all|main|N"
  /// The largest number: pictures with more people are not separated.
  static let maximum = 30

  package init(parsing text: String) throws(BackdropError) {
    switch text {
    case "all": self = .all
    case "main": self = .main
    default:
      guard let number = Int(text), (1...Self.maximum).contains(number) else {
        throw BackdropError(
          .wrongArgument, "'\(text)' is not a number of people",
          hint: "write all, main, or a number from 1 to \(Self.maximum)")
      }
      self = .number(number)
    }
  }

  /// The notation that users write.
  public var description: String {
    switch self {
    case .all: "all"
    case .number(1): "main"
    case .number(let number): String(number)
    }
  }
}

extension PeopleChoice: Parameterized {
  package static let parameters: ParameterTable<Self> = [
    .mattes: [
      .text(
        "people",
        "Choose whom to keep of several people: all, main (the largest and most central, with a face), or a number of these",
        \.count, automatic: "all"),
      .text(
        "keep",
        "Keep only the person at this point, in pixels of the upright picture (of a video's first) or percent; "
          + "separate several points with spaces", \.keep, automatic: "all"
      ).repeatable,
      .text("drop", "Leave out the person at this point, written as for keep", \.drop, automatic: "nobody").repeatable,
    ]
  ]
}
