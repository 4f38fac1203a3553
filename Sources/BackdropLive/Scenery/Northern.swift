#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The northern lights over a lake, snowy mountains and a wooded shore.
struct Northern: SceneryPainter {
  private static let shore: Float = 0.69

  private let view: SceneryView
  private let sky = Gradient([(0, 0x050B1E), (0.3, 0x0A1A33), (0.55, 0x123449), (0.69, 0x2A5A62)])
  private let aurora: LightBuffer
  private let stars: [Star]
  private let mountains: [Float]
  private let mountainNoise = ValueNoise(seed: 301)
  private let woods: [Float]
  private let ripples = ValueNoise(seed: 401)
  private var scratch: [SceneryLight]

  private struct Star {
    var u, v, radius: Float
    var light: SceneryLight
  }

  init(_ view: SceneryView) {
    self.view = view
    aurora = Self.curtains(view)
    stars = Self.starField()
    scratch = [SceneryLight](repeating: .zero, count: view.width)
    let peaks = ValueNoise(seed: 301)
    mountains = view.columns { Self.ridge($0, peaks, step: view.pixel) }
    let hills = ValueNoise(seed: 302)
    woods = view.columns { u in
      // The shore rises to both sides, so that the middle stays open.
      let side = abs(u + 0.08) / 1.1
      let ground = Self.shore - 0.012 - 0.075 * side * side - 0.008 * hills.at(u * 3)
      return Self.treeTops(u, ground, hills, side, pixel: view.pixel)
    }
  }

  mutating func paint(_ y: Int, into row: inout [SceneryLight]) {
    let v = view.v(y)
    if v <= Self.shore { return paintAir(v, into: &row, sharp: true) }
    let depth = v - Self.shore
    for x in row.indices { row[x] = .zero }
    // A rough surface mixes what lies above and below a mirror's point, the more so the nearer the water is.
    let tremble = ripples.fractal(v * 45, 0.5, octaves: 3, step: view.pixel * 45) * 0.035 * (0.15 + depth * 3)
    let taps: [Float] = [-0.6, 0, 0.6]
    for tap in taps {
      paintAir(Self.shore - depth * 1.06 - tremble + tap * depth * 0.10, into: &scratch, sharp: false)
      for x in row.indices {
        let u = view.u(x)
        let shift = ripples.at(u * 5 + tap, v * 70 / (1 + depth * 3)) * 0.012 * (0.1 + depth * 3)
        let from = min(max(x + Int((shift / view.pixel).rounded()), 0), row.count - 1)
        row[x] += scratch[from] * 0.29
      }
    }
    let far = expf(-depth / 0.012)
    let floor = SceneryLight(hex: 0x061522) * (0.3 + depth)
    for x in row.indices {
      row[x] += floor + SceneryLight(hex: 0x39636A) * (far * 0.25)
      row[x] *= 1 - 0.35 * smooth(0.1, 0.31, depth)
    }
  }

  /// Everything above the water at height `v`; `sharp` for what is seen directly, not in the water.
  private func paintAir(_ v: Float, into row: inout [SceneryLight], sharp: Bool) {
    let base = sky.at(v)
    let line = aurora.line(v)
    for x in row.indices {
      let u = view.u(x)
      row[x] = base + aurora.at(u, in: line)
    }
    if sharp { paintStars(v, into: &row) }
    for x in row.indices {
      let inside = v - mountains[x]
      if inside > -view.pixel {
        row[x] = mix(row[x], mountainLight(view.u(x), v, max(inside, 0)), view.coverage(inside))
      }
      let wood = v - woods[x]
      if wood > -view.pixel { row[x] = mix(row[x], SceneryLight(hex: 0x03090F), view.coverage(wood)) }
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
    let fold = mountainNoise.fractal(u * 9, v * 9, octaves: 3, step: view.pixel * 9) * 0.035
    let along = u + depth * 0.55 + fold
    let slope = (Self.ridge(along + 0.004, mountainNoise, step: 0.02) - Self.ridge(along - 0.004, mountainNoise, step: 0.02)) / 0.008
    let rock = mountainNoise.fractal(u * 26, v * 40, octaves: 4, step: view.pixel * 40)
    let snow = smooth(-0.25, 0.35, rock + 0.35 - depth * 3)
    let facing = smooth(-0.7, 0.7, slope)
    let color = mix(SceneryLight(hex: 0x0B1A27), mix(SceneryLight(hex: 0x1B3644), SceneryLight(hex: 0x6FA0A0), facing), snow * 0.75)
    return mix(color, SceneryLight(hex: 0x1E4850), smooth(0.02, 0.17, depth) * 0.85)
  }

  private static func ridge(_ u: Float, _ noise: ValueNoise, step: Float) -> Float {
    let range = noise.fractal(u * 1.9 + 2.4, octaves: 7, step: step * 1.9, ridged: true)
    return shore - 0.045 - 0.135 * max(range, -0.2) - 0.03 * noise.at(u * 0.9 + 31)
  }

  /// The highest point of the fir trees at `u`: pointed, with branches that step outwards on the way down.
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
      // Each tier of branches hangs: steep at its outer end, flat above it.
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
      let power = 1 / (0.04 + random(0))
      let tint = mix(SceneryLight(0.75, 0.86, 1.0), SceneryLight(1.0, 0.88, 0.72), random(1))
      let v = shore * random(2)
      return Star(
        u: (random(3) - 0.5) * SceneryView.widest, v: v, radius: 0.0007 + 0.00003 * power,
        light: tint * (0.10 * power * (1 - smooth(0.35, 0.68, v))))
    }
  }

  /// Sheets of light along winding lines on a plane high above the ground, each seen as rays that rise from its line.
  ///
  /// Where a line runs towards the eye its rays fall together and are bright: folds come by themselves.
  private static func curtains(_ view: SceneryView) -> LightBuffer {
    var buffer = LightBuffer(view, scale: 400, depth: shore)
    let sheets: [(seed: UInt32, away: Float, power: Float)] = [(221, 2.9, 1.0), (222, 4.3, 0.75), (223, 2.15, 0.45)]
    for sheet in sheets {
      let noise = ValueNoise(seed: sheet.seed)
      let samples = 9000
      for index in 0..<samples {
        let t = Float(index) / Float(samples) * 2 - 1
        let span = sheet.away * 2.4
        let x = t * span + 0.55 * noise.at(t * 7 + 50) + 0.16 * noise.at(t * 23 + 90)
        let z = sheet.away + 0.9 * noise.at(t * 3.5) + 0.40 * noise.at(t * 10 + 20) + 0.1 * noise.at(t * 31 + 70)
        let foot = shore - 0.80 / z - 0.02
        let length = (0.75 + 0.35 * noise.at(t * 40 + 130)) / z
        let rays = 0.5 + 0.32 * noise.at(t * 120) + 0.25 * noise.at(t * 290 + 60)
        let patch = smooth(-0.55, 0.75, noise.at(t * 2.6 + 200))
        let power = sheet.power * max(rays, 0.05) * patch * 0.05 * span
        let u = x / z
        let rows = Int((length * 1.9 * 400).rounded(.up))
        let start = Int((foot * 400).rounded(.down))
        for rise in -6..<rows {
          let j = start - rise
          if j < 0 || j >= buffer.height { continue }
          let h = Float(rise) / 400 / length
          let edge = rise < 0 ? expf(Float(rise) / 2.2) : expf(-h * 2.3) * (1 - 0.35 * expf(-h * 14))
          // Rays follow the lines of the magnetic field, which meet high above.
          let lean = u * (1 - 0.22 * h * length)
          let position = (lean - buffer.left) * 400 - 0.5
          if position < 0 || position >= Float(buffer.width - 1) { continue }
          let i = Int(position)
          let part = position - Float(i)
          let green = SceneryLight(0.10, 1.0, 0.42)
          let violet = SceneryLight(0.42, 0.10, 0.80)
          let light = mix(green, violet, smooth(0.25, 1.25, h)) * (power * edge)
          let cell = LightBuffer.Cell(light, 0)
          buffer.cells[j * buffer.width + i] += cell * (1 - part)
          buffer.cells[j * buffer.width + i + 1] += cell * part
        }
      }
    }
    let glow = buffer.defocused(0.045)
    buffer = buffer.defocused(0.0045)
    for i in buffer.cells.indices { buffer.cells[i] += glow.cells[i] * 0.45 }
    return buffer
  }
}
