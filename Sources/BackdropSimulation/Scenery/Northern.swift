import Libc

/// The northern lights over a lake, snowy mountains and a wooded shore.
struct Northern: SceneryPainter {
  private static let shore: Float = 0.69

  private let view: SceneryView
  private let sky = Gradient([(0, 0x050B1E), (0.3, 0x0A1A33), (0.55, 0x123449), (0.69, 0x2A5A62)])
  private let aurora: LightBuffer
  private let auroraColumns: LightBuffer.Columns
  private let stars: [Star]
  private let mountains: [Float]
  private let mountainNoise = ValueNoise(seed: 301)
  private let slopes: SampledFunction
  private let bareRock = SceneryLight(hex: 0x0B1A27)
  private let snowShade = SceneryLight(hex: 0x17303F)
  private let snowLit = SceneryLight(hex: 0x487A82)
  private let valley = SceneryLight(hex: 0x1C454E)
  private let firs = SceneryLight(hex: 0x03090F)
  private let deepWater = SceneryLight(hex: 0x061522)
  private let farWater = SceneryLight(hex: 0x39636A)
  private let woods: [Float]
  private let ripples = ValueNoise(seed: 401)

  private struct Star {
    var u, v, radius: Float
    var light: SceneryLight
  }

  init(_ view: SceneryView) {
    self.view = view
    aurora = Self.curtains(view)
    auroraColumns = aurora.columns(of: view)
    stars = Self.starField()
    let peaks = ValueNoise(seed: 301)
    mountains = view.columns { Self.ridge($0, peaks, step: view.pixel) }
    slopes = SampledFunction(from: -view.halfWidth - 0.1, to: view.halfWidth + 0.4, step: 0.002) { u in
      (Self.ridge(u + 0.004, peaks, step: 0.01) - Self.ridge(u - 0.004, peaks, step: 0.01)) / 0.008
    }
    let hills = ValueNoise(seed: 302)
    woods = view.columns { u in
      // The shore rises to both sides, so that the middle stays open.
      let side = abs(u + 0.08) / 1.1
      let ground = Self.shore - 0.012 - 0.075 * side * side - 0.008 * hills.at(u * 3)
      return Self.treeTops(u, ground, hills, side, pixel: view.pixel)
    }
  }

  func paint(_ y: Int, into row: inout [SceneryLight]) {
    let v = view.v(y)
    if v <= Self.shore { return paintAir(v, into: &row, sharp: true) }
    let depth = v - Self.shore
    for x in row.indices { row[x] = .zero }
    // A rough surface mixes the areas above and below a mirror point, more so near the viewer.
    let tremble = ripples.fractal(v * 45, 0.5, octaves: 3, step: view.pixel * 45) * 0.035 * (0.15 + depth * 3)
    let taps: [Float] = [-0.6, 0, 0.6]
    var scratch = row
    for tap in taps {
      paintAir(Self.shore - depth * 1.06 - tremble + tap * depth * 0.10, into: &scratch, sharp: false)
      let wave = view.curve(step: 0.01) { u in
        ripples.at(u * 5 + tap, v * 70 / (1 + depth * 3)) * 0.012 * (0.1 + depth * 3) / view.pixel
      }
      for x in row.indices {
        let from = min(max(Int(Float(x) + 0.5 + wave.at(view.u(x))), 0), row.count - 1)
        row[x] += scratch[from] * 0.29
      }
    }
    let far = expf(-depth / 0.012)
    let floor = deepWater * (0.3 + depth)
    for x in row.indices {
      row[x] += floor + farWater * (far * 0.25)
      row[x] *= 1 - 0.35 * smooth(0.1, 0.31, depth)
    }
  }

  /// Paints everything above the water at height `v`; `sharp` for the direct view, not for the reflection.
  private func paintAir(_ v: Float, into row: inout [SceneryLight], sharp: Bool) {
    let base = sky.at(v)
    let line = aurora.line(v)
    for x in row.indices {
      row[x] = base + aurora.at(x, auroraColumns, in: line)
    }
    if sharp { paintStars(v, into: &row) }
    for x in row.indices {
      let inside = v - mountains[x]
      let wood = v - woods[x]
      if inside > -view.pixel && wood < view.pixel {
        row[x] = mix(row[x], mountainLight(view.u(x), v, max(inside, 0)), view.coverage(inside))
      }
      if wood > -view.pixel { row[x] = mix(row[x], firs, view.coverage(wood)) }
    }
  }

  private func paintStars(_ v: Float, into row: inout [SceneryLight]) {
    for star in stars where abs(star.v - v) < star.radius * 3 + view.pixel * 2 {
      // A star smaller than a pixel spreads over it and keeps its power.
      let radius = max(star.radius, view.pixel * 0.55)
      let power = star.radius * star.radius / (radius * radius)
      let reach = radius * 3
      let first = Int(((star.u - reach + view.halfWidth) / view.pixel).rounded(.down))
      let last = Int(((star.u + reach + view.halfWidth) / view.pixel).rounded(.up))
      if last < 0 || first >= row.count { continue }
      for x in max(first, 0)..<min(last + 1, row.count) {
        let (du, dv) = (view.u(x) - star.u, v - star.v)
        row[x] += star.light * (power * expf(-(du * du + dv * dv) / (radius * radius)))
      }
    }
  }

  private func mountainLight(_ u: Float, _ v: Float, _ depth: Float) -> SceneryLight {
    let fold = mountainNoise.fractal(u * 9, v * 9, octaves: 3, step: view.pixel * 9) * 0.022
    let along = u + depth * 0.35 + fold
    let slope = slopes.at(along)
    // Gullies run down the slope, so the noise is stretched that way.
    let rock = mountainNoise.fractal(along * 42, v * 15, octaves: 4, step: view.pixel * 42)
    let snow = smooth(-0.55, 0.6, rock + 0.3 - depth * 3.5)
    let facing = smooth(-0.9, 0.9, slope + rock)
    let color = mix(bareRock, mix(snowShade, snowLit, facing), snow * 0.8)
    return mix(color, valley, smooth(0.0, 0.16, depth) * 0.85)
  }

  private static func ridge(_ u: Float, _ noise: ValueNoise, step: Float) -> Float {
    let range = noise.fractal(u * 2.1 + 2.4, octaves: 7, step: step * 2.1, ridged: true)
    return shore - 0.115 - 0.125 * range - 0.05 * noise.at(u * 1.3 + 31)
  }

  /// The top of the fir trees at `u`: pointed, with branches that widen in steps downwards.
  private static func treeTops(_ u: Float, _ ground: Float, _ noise: ValueNoise, _ side: Float, pixel: Float) -> Float {
    var top = ground
    let spacing: Float = 0.0105
    let cell = Int((u / spacing).rounded(.down))
    for index in cell - 3...cell + 3 {
      let size = noise.uniform(index, 1)
      let height = (0.018 + 0.042 * size * size) * (0.55 + 0.75 * unit(side))
      let middle = (Float(index) + 0.5 + 0.8 * (noise.uniform(index, 2) - 0.5)) * spacing
      let away = abs(u - middle) / (height * 0.24)
      if away >= 1 { continue }
      // Each tier of branches hangs, steep at its outer end and flat above it.
      let tiers = 6 * away
      let within = tiers - tiers.rounded(.down)
      let fall = (tiers.rounded(.down) + within * within * within) / 6
      let jagged = mix(away, fall, 1 - smooth(0.0012, 0.004, pixel))
      top = min(top, ground - height * (1 - jagged))
    }
    return top
  }

  private static func starField() -> [Star] {
    let noise = ValueNoise(seed: 211)
    return (0..<2600).map { index in
      let random = { (k: Int) in noise.uniform(index, k) }
      let power = 1 / (0.055 + random(0))
      let tint = mix(SceneryLight(0.75, 0.86, 1.0), SceneryLight(1.0, 0.88, 0.72), random(1))
      let v = shore * random(2)
      return Star(
        u: (random(3) - 0.5) * SceneryView.widest, v: v, radius: 0.0007 + 0.00003 * power,
        light: tint * (0.10 * power * (1 - smooth(0.35, 0.68, v))))
    }
  }

  /// Sheets of light along winding lines on a plane high above the ground, each consisting of rays that rise from its
  /// line.
  ///
  /// Where a line runs towards the viewer its rays overlap and are bright, which produces the folds.
  private static func curtains(_ view: SceneryView) -> LightBuffer {
    let scale: Float = 300
    var buffer = LightBuffer(view, scale: scale, depth: shore)
    let sheets: [Sheet] = [
      Sheet(seed: 221, left: 6.0, right: 1.75, power: 1.0), Sheet(seed: 222, left: 2.6, right: 7.0, power: 0.55),
      Sheet(seed: 229, left: 5.5, right: 5.0, power: 0.5),
    ]
    // Light by height above the lower edge, in 64ths of a ray's length: green below, violet above.
    let (green, violet) = (SceneryLight(0.10, 1.0, 0.40), SceneryLight(0.40, 0.12, 0.85))
    let profile = (0..<144).map { step -> LightBuffer.Cell in
      let h = Float(step) / 64
      let fade = expf(-h * 2.1) * (1 - smooth(1.3, 2.2, h)) * smooth(-0.02, 0.10, h)
      return LightBuffer.Cell(mix(green, violet, smooth(0.15, 1.05, h)) * fade, 0)
    }
    for sheet in sheets {
      let samples = 6000
      for index in 0..<samples {
        let ray = sheet.ray(Float(index) / Float(samples) * 2 - 1)
        let start = Int((ray.foot * scale).rounded(.down))
        let step = 64 / (ray.length * scale)
        for rise in 0..<Int(Float(profile.count) / step) {
          let j = start - rise
          if j < 0 { break }
          // Rays follow the lines of the magnetic field, which meet high above.
          let lean = ray.u * (1 - 0.16 * Float(rise) / scale)
          let position = (lean - buffer.left) * scale - 0.5
          if j >= buffer.height || position < 0 || position >= Float(buffer.width - 1) { continue }
          let i = j * buffer.width + Int(position)
          let part = position - Float(Int(position))
          let light = profile[Int(Float(rise) * step)] * ray.power
          buffer.cells[i] += light * (1 - part)
          buffer.cells[i + 1] += light * part
        }
      }
    }
    let glow = buffer.defocused(0.045)
    buffer = buffer.defocused(0.0050)
    for i in buffer.cells.indices { buffer.cells[i] = buffer.cells[i] * 0.85 + glow.cells[i] * 0.4 }
    return buffer
  }
}

/// One sheet of the aurora: a line that winds from a distance on the left to another on the right.
private struct Sheet {
  let seed: UInt32
  /// The distances of the ends, in heights of the plane over the ground.
  let left, right: Float
  let power: Float

  struct Ray {
    var u, foot, length, power: Float
  }

  /// The ray at `t`, −1…1 along the line.
  func ray(_ t: Float) -> Ray {
    let noise = ValueNoise(seed: seed)
    let half = SceneryView.widest / 2
    let away = mix(left, right, smooth(-0.62, 0.62, t))
    let z = away * (1 + 0.30 * noise.at(t * 7) + 0.09 * noise.at(t * 24 + 20))
    let x = t * half * away + 0.30 * noise.at(t * 15 + 50) * away.squareRoot() + 0.12 * noise.at(t * 44 + 90)
    let rays = 0.55 + 0.35 * noise.at(t * 150) + 0.25 * noise.at(t * 420 + 60)
    let patch = 0.25 + 0.75 * smooth(-0.6, 0.6, noise.at(t * 6 + 200))
    return Ray(
      u: x / z, foot: 0.62 - 0.62 / z, length: (0.42 + 0.20 * noise.at(t * 60 + 130)) * (0.45 + 0.9 / z),
      power: power * max(rays, 0.08) * patch * 0.14)
  }
}
