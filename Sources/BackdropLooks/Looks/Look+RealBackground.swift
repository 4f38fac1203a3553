import BackdropDepth
import BackdropImaging

extension Look {
  /// How much of the real background is seen where the matte has an opacity of `m`, 0…1: the weight of the frame's own
  /// picture in what is drawn there, whatever is done to its colours. A blurred background that a person chose does not
  /// count.
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

  /// Whether the look shows the real background where the matte is 0, so that nobody should use it who wants to hide
  /// the real background.
  public func showsRealBackground(_ settings: LookValues) -> Bool { realBackgroundOpacity(0, settings) > 0.02 }

  /// Whether it does so with the defaults of its parameters; what is listed.
  public var showsRealBackground: Bool {
    do throws(BackdropError) {
      return showsRealBackground(try settings())
    } catch {
      // A look that contradicts itself is never drawn.
      return true
    }
  }

  /// Standard deviation of the matte's edge in depth pixels as the look is meant; 0 where it takes the edge as it is.
  public var usualEdge: Double {
    guard case .depth(_, _, let sigma, _) = matte else { return 0 }
    return switch sigma {
    case .fixed(let value): value
    case .parameter(let name): parameters.first { $0.name == name }?.default?.number ?? 0
    }
  }

  /// Whether a background that a person chose is seen in it.
  public var hasBackground: Bool { layers.contains { $0.source == .background } }

  /// Whether it can be drawn in Y′CbCr: by blends alone.
  public var isPlain: Bool { layers.allSatisfy(\.isPlain) }
}
