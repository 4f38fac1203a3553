/// A step that saves work, from least to most; each step includes those before it.
public enum LoadStep: Int, Sendable, CaseIterable, Codable, Comparable {
  /// Everything.
  case none
  /// A matte for every other frame.
  case halfMattes
  /// The matte is drawn to edges of a smaller picture.
  case coarseEdges
  /// At most so many frames a second.
  case rate24, rate20, rate15

  /// Frames a second at most; `nil` for the camera's own.
  public var rate: Double? {
    switch self {
    case .none, .halfMattes, .coarseEdges: nil
    case .rate24: 24
    case .rate20: 20
    case .rate15: 15
    }
  }

  /// In words; `nil` for ``none``.
  public var summary: String? {
    switch self {
    case .none: nil
    case .halfMattes: "a matte for every other frame"
    case .coarseEdges: "coarser edges"
    case .rate24, .rate20, .rate15: "\(Int(rate ?? 0)) frames/s"
    }
  }

  /// Of two steps the one that does less.
  public static func < (a: LoadStep, b: LoadStep) -> Bool { a.rawValue < b.rawValue }
}
