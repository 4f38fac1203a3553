#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Sand dunes before mountain ridges in the haze of a sunset.
struct Dunes: SceneryPainter {
  /// A mountain range or a dune, as high in each column as its outline says.
  private struct Layer {
    var outline: [Float]
    var color: SceneryLight
    /// How far below the outline the haze of the valley is thickest, and how thick it is there, 0…1.
    var hazeDepth, haze: Float
  }

  private let view: SceneryView
  private let sky: Gradient
  private let sunU: Float
  private let sunV: Float = 0.475
  private let sunRadius: Float = 0.052
  private let ranges: [Layer]
  private let sand: [SandDune]
  private let clouds = ValueNoise(seed: 11)
  private let hazeColor = SceneryLight(hex: 0xF7B58C)

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
      return Layer(outline: outline, color: SceneryLight(hex: shape.color), hazeDepth: 0.11, haze: shape.haze)
    }
    sand = [
      SandDune(view, seed: 7, base: 0.80, height: 0.055, frequency: 1.25, lean: 1.5, lit: 0xE09A66, shade: 0x5E3A58),
      SandDune(view, seed: 23, base: 0.91, height: 0.085, frequency: 0.8, lean: 1.9, lit: 0xD07F4C, shade: 0x38213F),
    ]
  }

  func paint(_ y: Int, into row: inout [SceneryLight]) {
    let v = view.v(y)
    let skyLight = sky.at(v)
    let underside = smooth(0.05, 0.2, v) * (1 - smooth(0.42, 0.54, v))
    for x in 0..<row.count {
      let u = view.u(x)
      let (du, dv) = (u - sunU, v - sunV)
      let distance = (du * du + dv * dv).squareRoot()
      let wide = (du * du * 0.35 + dv * dv).squareRoot()
      let glow = SceneryLight(1.0, 0.62, 0.30) * (0.55 * expf(-distance / 0.07)) + SceneryLight(1.0, 0.42, 0.20) * (0.42 * expf(-wide / 0.22))
      if ranges[0].outline[x] > v - view.pixel {
        var light = skyLight + glow
        if underside > 0 {
          let drift = clouds.at(u * 1.3 + 5, v * 3) * 0.25
          let streak = clouds.fractal(u * 1.1 + drift, v * 9 + u * 0.6 + drift, octaves: 5, step: view.pixel * 4)
          let cloud = smooth(0.0, 0.55, streak) * underside
          let lit = mix(SceneryLight(hex: 0x8C6C95), SceneryLight(hex: 0xFFB48A), 0.25 + 0.75 * expf(-wide / 0.3))
          light = mix(light, lit + glow * 0.7, cloud * 0.62)
        }
        let disc = view.coverage(sunRadius - distance)
        row[x] = mix(light, SceneryLight(3.2, 2.3, 1.25), disc)
      }
      let haze = hazeColor + glow * 0.6
      for range in ranges {
        let inside = v - range.outline[x]
        if inside < -view.pixel { continue }
        let thickness = range.haze * smooth(0, range.hazeDepth, inside)
        // Air between the eye and the range takes the colour of the glow behind it.
        let light = mix(range.color + glow * 0.35, haze, thickness)
        row[x] = mix(row[x], light, view.coverage(inside))
      }
      for dune in sand {
        dune.paint(u, v, x, glow, view, &row[x])
      }
    }
  }
}

/// One dune: a sharp crest from which a lit and a shaded flank fall, and wind ripples on them.
private struct SandDune {
  private let outline: [Float]
  private let noise: ValueNoise
  private let base, height, frequency, lean: Float
  private let lit, shade: SceneryLight

  init(
    _ view: SceneryView, seed: UInt32, base: Float, height: Float, frequency: Float, lean: Float, lit: UInt32,
    shade: UInt32
  ) {
    (self.base, self.height, self.frequency, self.lean) = (base, height, frequency, lean)
    self.lit = SceneryLight(hex: lit)
    self.shade = SceneryLight(hex: shade)
    let noise = ValueNoise(seed: seed)
    self.noise = noise
    outline = view.columns { base - height * Self.crest($0 * frequency, noise) }
  }

  /// The profile of the dune, about −1…1: its crests are sharp, its hollows round.
  private static func crest(_ x: Float, _ noise: ValueNoise) -> Float {
    let a = noise.at(x + 0.3 * noise.at(x * 0.7 + 40))
    return (1 - 2 * abs(a).squareRoot() * abs(a)) * 0.75 + noise.at(x * 0.5 + 9) * 0.35
  }

  @inline(__always)
  func paint(_ u: Float, _ v: Float, _ x: Int, _ glow: SceneryLight, _ view: SceneryView, _ light: inout SceneryLight) {
    let inside = v - outline[x]
    if inside < -view.pixel { return }
    let depth = max(inside, 0)
    // Crest lines run down towards the eye at a slant and swing to and fro on the way.
    let swing = 0.16 * depth.squareRoot() * noise.at(depth * 14 + u * 0.8, 3)
    let along = (u + lean * depth + swing) * frequency
    let step: Float = 0.012
    let slope = (Self.crest(along + step, noise) - Self.crest(along - step, noise)) / (2 * step)
    let facing = smooth(-0.5, 0.9, -slope)
    let ripple = noise.fractal(u * 14 + swing * 90, (v * 3.2 + u * 0.4) * 42 / (0.25 + depth * 5), octaves: 3, step: view.pixel * 60)
    let grazing = facing * (1 - facing) * 4
    var color = mix(shade, lit, facing * (1 + 0.10 * ripple) + 0.05 * ripple * (0.4 + grazing))
    color += glow * (0.10 + 0.5 * facing)
    color *= 1 - 0.45 * smooth(0.0, 0.3, depth)
    // SceneryLight that grazes the crest draws a thin bright line along it.
    color += (lit + glow) * (0.35 * expf(-depth / 0.006) * facing)
    light = mix(light, color, view.coverage(inside))
  }
}
