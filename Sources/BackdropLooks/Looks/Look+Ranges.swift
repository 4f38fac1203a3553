extension Look {
  /// Each number of the look with the valid range for its operation, and its name in messages.
  var usedRanges: [(LookNumber, ClosedRange<Double>, String)] {
    matte.ranges + layers.flatMap(\.ranges)
  }
}

extension Look.MatteRecipe {
  var ranges: [(LookNumber, ClosedRange<Double>, String)] {
    switch self {
    case .depth(let cutoff, let margin, let sigma, let gamma):
      [
        (cutoff, 0...1000, "the cutoff"), (margin, -10...100, "the margin"), (sigma, 0...200, "the blur of the matte"),
        (gamma, 0.01...50, "gamma"),
      ]
    case .focus(let focus, let slope, let width):
      [(focus, 0...1, "the focus"), (slope, 0.01...1000, "the slope"), (width, 0...4, "the width of the focus")]
    case .histogram(let percentile, let close, let feather):
      [
        (percentile, 0...100, "the percentile"), (close, 0...1000, "the closing"),
        (feather, 0...1000, "the feather of the matte"),
      ]
    case .subject(let feather): [(feather, 0...1000, "the feather of the matte")]
    case .haze(let density, let start): [(density, 0...100, "the density"), (start, 0...1, "the start of the haze")]
    case .everything: []
    }
  }
}

extension Look.Layer {
  var ranges: [(LookNumber, ClosedRange<Double>, String)] {
    var ranges = grade.map { ($0.amount, $0.range, "the \($0.operation.rawValue) of a layer") }
    switch blur {
    case .pixels(let sigma): ranges.append((sigma, 0...200, "the blur of a layer"))
    case .gaussian(let value), .disc(let value), .masked(let value):
      ranges.append((value, 0...400, "the blur of a layer"))
    case .lens(let aperture, let blades, let bloom):
      ranges += [
        (aperture, 0.5...200, "the aperture"), (blades, 0...16, "the number of blades"), (bloom, 0...1, "the bloom"),
      ]
    case nil: break
    }
    switch transform {
    case .scale(let scale): ranges.append((scale, 0.05...8, "the scale of a layer"))
    case .copies(let count, let spacing, let scale):
      ranges += [
        (count, 0...12, "the number of rows"), (spacing, 0...8, "the spacing"), (scale, 0.1...1, "the scale of a row"),
      ]
    case nil: break
    }
    switch view {
    case .orbit(let shift, let phase, let zero):
      ranges += [
        (shift, -0.25...0.25, "the shift of a view"), (phase, -100...100, "the phase"),
        (zero, 0...1, "what stays in place"),
      ]
    case .anaglyph(let shift, let zero), .sideBySide(let shift, let zero):
      ranges += [(shift, -0.25...0.25, "the shift of a view"), (zero, 0...1, "what stays in place")]
    case nil: break
    }
    if let light {
      ranges += [
        (light.height, -4...4, "the height of a light"), (light.width, 0.01...100, "the width of a light"),
        (light.reach, 0.01...100, "the reach of a light"), (light.floor, 0...1, "the floor of a light"),
      ]
    }
    if let opacity { ranges.append((opacity, 0...1, "the opacity of a layer")) }
    return ranges
  }
}
