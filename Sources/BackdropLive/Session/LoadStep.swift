/// The steps that save work, in order of savings; each step includes the previous ones.
package enum LoadStep: Int, Sendable, CaseIterable, Comparable {
  case none
  /// A matte for every other frame.
  case halfMattes
  /// The matte follows the edges of a smaller picture.
  case coarseEdges
  case rate24, rate20, rate15

  /// The maximum number of frames per second; `nil` for the camera's own.
  package var rate: Double? {
    switch self {
    case .none, .halfMattes, .coarseEdges: nil
    case .rate24: 24
    case .rate20: 20
    case .rate15: 15
    }
  }

  /// The maximum number of frames per second in a session whose settings ask for `usual`.
  func rate(at usual: Double) -> Double { min(usual, rate ?? usual) }

  /// A description; `nil` for ``none``.
  package var summary: String? {
    switch self {
    case .none: nil
    case .halfMattes: "a matte for every other frame"
    case .coarseEdges: "coarser edges"
    case .rate24, .rate20, .rate15: "at most \(Int(rate ?? 0)) fps"
    }
  }

  package static func < (a: LoadStep, b: LoadStep) -> Bool { a.rawValue < b.rawValue }
}
