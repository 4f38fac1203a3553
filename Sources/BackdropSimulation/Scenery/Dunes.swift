import Libc

/// Sand dunes before mountain ridges in the haze of a sunset.
struct Dunes: SceneryPainter {
  /// A mountain range or a dune, with the height of its outline in each column.
  private struct Layer {
    var outline: [Float]
    var color: SceneryLight
    /// The upper edge of the valley's fog, and its maximum density, 0…1.
    var fogLevel, haze: Float
    /// The highest and the lowest point of the outline.
    var top, bottom: Float
  }

  private let view: SceneryView
  private let sky: Gradient
  private let sunU: Float
  private let sunV: Float = 0.475
  private let sunRadius: Float = 0.052
  private let ranges: [Layer]
  private let sand: [SandDune]
  private let clouds = ValueNoise(seed: 11)
  private let fog = ValueNoise(seed: 12)
  private let hazeColor = SceneryLight(hex: 0xF7B58C)
  private let cloudShade = SceneryLight(hex: 0x8C6C95)
  private let cloudLit = SceneryLight(hex: 0xFFB690)
  private let sunTop = SceneryLight(1.9, 1.62, 1.12)
  private let sunBottom = SceneryLight(1.7, 1.12, 0.56)

  init(_ view: SceneryView) {
    self.view = view
    sunU = 0.56 * view.halfWidth
    sky = Gradient([
      (0, 0x27386B), (0.2, 0x4C5188), (0.38, 0x9A6E97), (0.5, 0xDD8F8A), (0.58, 0xF9B98A), (0.66, 0xFFD9A6),
    ])
    let shapes: [(base: Float, height: Float, frequency: Float, color: UInt32, haze: Float)] = [
      (0.575, 0.050, 2.1, 0xC98E93, 0.75), (0.615, 0.062, 1.7, 0xA0708A, 0.70), (0.665, 0.070, 1.35, 0x74527A, 0.62),
      (0.725, 0.066, 1.1, 0x523C63, 0.50),
    ]
    ranges = shapes.enumerated().map { index, shape in
      let noise = ValueNoise(seed: 100 + UInt32(index))
      let outline = view.columns { u in
        shape.base
          - shape.height
          * noise.fractal(
            u * shape.frequency + 3, octaves: 8, step: view.pixel * shape.frequency, ridged: true)
      }
      // A picture has at least one column.
      return Layer(
        outline: outline, color: SceneryLight(hex: shape.color), fogLevel: shape.base, haze: shape.haze,
        top: outline.min()!, bottom: outline.max()! + view.pixel)
    }
    let near = SandDune(
      view, SandDune.Crest(seed: 23, base: 0.91, height: 0.085, frequency: 0.8), lean: 1.9,
      colors: (lit: 0xD07F4C, shade: 0x38213F))
    sand = [
      SandDune(
        view, SandDune.Crest(seed: 7, base: 0.80, height: 0.055, frequency: 1.25), lean: 1.5,
        colors: (lit: 0xE09A66, shade: 0x5E3A58), behind: near),
      near,
    ]
  }

  func paint(_ y: Int, into row: inout [SceneryLight]) {
    let v = view.v(y)
    let glow = paintSky(v, into: &row)
    for range in ranges { paintRange(range, v, glow, into: &row) }
    for dune in sand { dune.paint(v, glow, view, into: &row) }
  }

  /// - Returns: the light around the sun, in each column.
  private func paintSky(_ v: Float, into row: inout [SceneryLight]) -> [SceneryLight] {
    var glow = [SceneryLight](repeating: .zero, count: row.count)
    let background = sky.at(v)
    let cloudiness = smooth(0.04, 0.18, v) * (1 - smooth(0.43, 0.56, v))
    // Clouds are stretched sideways: few points along the row are enough.
    let streaks =
      cloudiness > 0
      ? view.curve(step: 0.004) { u in
        let drift = clouds.at(u * 1.3 + 5, v * 3) * 0.3
        return clouds.fractal(u * 1.25 + drift + 31, v * 10 + u * 0.7 + drift, octaves: 5, step: view.pixel * 8)
      } : nil
    for x in row.indices {
      let u = view.u(x)
      let (du, dv) = (u - sunU, v - sunV)
      let distance = (du * du + dv * dv).squareRoot()
      let spread = expf(-(du * du * 0.35 + dv * dv).squareRoot() / 0.24)
      let light =
        SceneryLight(1.0, 0.60, 0.28) * (0.60 * expf(-distance / 0.065)) + SceneryLight(1.0, 0.44, 0.20)
        * (0.45 * spread)
      glow[x] = light
      // Below, the ranges hide the clouds.
      if v > ranges[0].bottom { continue }
      var color = background + light
      if let streak = streaks?.at(u) {
        let cloud = smooth(0.02, 0.5, streak) * cloudiness
        let lit = mix(cloudShade, cloudLit, unit(0.2 + 0.9 * spread + 0.25 * streak))
        color = mix(color, lit + light * 0.75, cloud * 0.7)
      }
      let disc = view.coverage(sunRadius - distance)
      if disc > 0 { color = mix(color, mix(sunTop, sunBottom, smooth(-sunRadius, sunRadius, dv)), disc) }
      row[x] = color
    }
    return glow
  }

  private func paintRange(_ range: Layer, _ v: Float, _ glow: [SceneryLight], into row: inout [SceneryLight]) {
    if v < range.top - view.pixel { return }
    let swells = view.curve(step: 0.02) { fog.at($0 * 2.2, v * 9 + range.fogLevel * 40) * 0.022 }
    for x in row.indices {
      let inside = v - range.outline[x]
      if inside < -view.pixel { continue }
      // Fog lies level in the valleys, with a soft and uneven upper edge.
      let thickness = range.haze * smooth(range.fogLevel - 0.055, range.fogLevel + 0.06, v + swells.at(view.u(x)))
      // The air in front of the range has the colour of the glow behind it.
      let light = mix(range.color + glow[x] * 0.35, hazeColor + glow[x] * 0.6, thickness)
      row[x] = mix(row[x], light, view.coverage(inside))
    }
  }
}

/// One dune: a sharp crest from which a lit and a shaded flank fall, and wind ripples on them.
private struct SandDune {
  /// The line of a dune's crest: `height` times its profile above `base`, in scene units.
  struct Crest {
    var seed: UInt32
    var base, height, frequency: Float
  }

  private let outline: [Float]
  private let noise: ValueNoise
  private let lean, top: Float
  private let slopes: SampledFunction
  /// For each column, the start of a nearer dune that covers this one.
  private let hidden: [Float]
  private let lit, shade: SceneryLight

  init(
    _ view: SceneryView, _ crest: Crest, lean: Float, colors: (lit: UInt32, shade: UInt32),
    behind nearer: SandDune? = nil
  ) {
    self.lean = lean
    lit = SceneryLight(hex: colors.lit)
    shade = SceneryLight(hex: colors.shade)
    let noise = ValueNoise(seed: crest.seed)
    self.noise = noise
    outline = view.columns { crest.base - crest.height * Self.crest($0 * crest.frequency, noise) }
    // A picture has at least one column.
    top = outline.min()!
    hidden = nearer?.outline.map { $0 + view.pixel } ?? [Float](repeating: .infinity, count: view.width)
    slopes = SampledFunction(from: -view.halfWidth - 0.2, to: view.halfWidth + 1.2, step: 0.003) { u in
      let x = u * crest.frequency
      return (Self.crest(x + 0.012, noise) - Self.crest(x - 0.012, noise)) / 0.024
    }
  }

  /// The profile of the dune, about −1…1, with sharp crests and round hollows.
  private static func crest(_ x: Float, _ noise: ValueNoise) -> Float {
    let a = noise.at(x + 0.3 * noise.at(x * 0.7 + 40))
    return (1 - 2 * abs(a).squareRoot() * abs(a)) * 0.75 + noise.at(x * 0.5 + 9) * 0.35
  }

  func paint(_ v: Float, _ glow: [SceneryLight], _ view: SceneryView, into row: inout [SceneryLight]) {
    if v < top - view.pixel { return }
    for x in row.indices where v - outline[x] > -view.pixel && v < hidden[x] {
      let u = view.u(x)
      let inside = v - outline[x]
      let depth = max(inside, 0)
      // Crest lines run diagonally down towards the viewer and swing back and forth.
      let swing = 0.16 * depth.squareRoot() * noise.at(depth * 14 + u * 0.8, 3)
      let facing = smooth(-0.5, 0.9, -slopes.at(u + lean * depth + swing))
      let ripple = noise.fractal(
        u * 14 + swing * 90, (v * 3.2 + u * 0.4) * 42 / (0.25 + depth * 5), octaves: 3, step: view.pixel * 60)
      let grazing = facing * (1 - facing) * 4
      var color = mix(shade, lit, facing * (1 + 0.10 * ripple) + 0.05 * ripple * (0.4 + grazing))
      color += glow[x] * (0.10 + 0.5 * facing)
      color *= 1 - 0.45 * smooth(0.0, 0.3, depth)
      // Grazing light draws a thin bright line along the crest.
      if depth < 0.05 { color += (lit + glow[x]) * (0.35 * expf(-depth / 0.006) * facing) }
      row[x] = mix(row[x], color, view.coverage(inside))
    }
  }
}
