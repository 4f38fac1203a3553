extension Look {
  /// How much of the real background is visible for an opacity of `m` in the matte, 0…1: the weight of the frame's own
  /// picture there, after any colour operations. A blurred background that the user chose does not count.
  public func realBackgroundOpacity(_ m: Double, _ settings: LookValues) -> Double {
    var result = 0.0
    for layer in layers {
      let isReal = layer.source == .frame || layer.source == .realBackground
      let opacity = layer.opacity.map { settings[$0] } ?? 1
      let covers: Double =
        switch layer.through {
        case .everything: opacity
        case .matte: opacity * m
        case .inverse: opacity * (1 - m)
        }
      result += ((isReal ? 1 : 0) - result) * covers
    }
    return result
  }

  /// Whether the look shows the real background where the matte is 0. Such a look cannot hide the background.
  public func showsRealBackground(_ settings: LookValues) -> Bool { realBackgroundOpacity(0, settings) > 0.02 }

  /// Whether it does so with the defaults of its parameters, for lists.
  public var showsRealBackground: Bool {
    // An inconsistent look is never drawn.
    (try? settings()).map(showsRealBackground) ?? true
  }

  /// The standard deviation of the matte's edge in depth pixels with the look's defaults; 0 if it keeps the edge.
  public var usualEdge: Double {
    if case .depth(_, _, let sigma, _) = matte { number(sigma) ?? 0 } else { 0 }
  }

  /// Whether it shows a chosen background.
  public var hasBackground: Bool { layers.contains { $0.source == .background } }

  /// Whether it can be drawn in Y′CbCr, with blends only.
  public var isPlain: Bool { layers.allSatisfy(\.isPlain) }
}
