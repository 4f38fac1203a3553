/// Paints hair strand by strand, in locks.
struct HairPainter {
  /// A part of a smooth line through points (Catmull and Rom), drawn in steps.
  struct Strand {
    var points: [Point]
    var steps: Int
    var from: Float = 0
    var until: Float = 1

    /// The point at `t`, 0…1 over the whole line, and the unit normal there.
    func at(_ t: Float) -> (point: Point, normal: Point) {
      let at = t * Float(points.count - 1)
      let i = min(Int(at), points.count - 2)
      let s = at - Float(i)
      let (b, c) = (points[i], points[i + 1])
      let a = i > 0 ? points[i - 1] : b + b - c
      let d = i + 2 < points.count ? points[i + 2] : c + c - b
      let first = (c - a) * 0.5
      let second = a - b * 2.5 + c * 2 - d * 0.5
      let third = (b - c) * 1.5 + (d - a) * 0.5
      let way = first + (second * 2 + third * (3 * s)) * s
      let normal = Point(-way.y, way.x) / max((way.x * way.x + way.y * way.y).squareRoot(), 0.01)
      return (b + (first + (second + third * s) * s) * s, normal)
    }
  }

  let who: Persona
  let light: Light

  /// The lines of the outermost and innermost strands on the left side, from the parting to the tip.
  private static let outerLeft: [Point] = [
    [1.5, -13.2], [-3.4, -13.6], [-7.9, -11.2], [-10.1, -5], [-10.5, 2], [-10.6, 8], [-10.9, 13.5], [-9.6, 18.5],
  ]
  private static let innerLeft: [Point] = [
    [1.5, -9.4], [-2.0, -8.6], [-5.0, -6.0], [-6.7, -1.8], [-7.2, 2.8], [-6.7, 8], [-6.6, 13], [-5.6, 17],
  ]
  private static let outerRight: [Point] = [
    [0.7, -13.2], [4.9, -13.3], [8.6, -10.6], [10.2, -5], [10.5, 2], [10.5, 8], [10.8, 13.5], [9.8, 18.8],
  ]
  private static let innerRight: [Point] = [
    [1.3, -9.4], [3.4, -8.6], [5.6, -6.0], [6.9, -1.8], [7.2, 2.8], [6.7, 8], [6.8, 13], [6.0, 17.3],
  ]

  func paintFront(on painting: inout Painting) {
    switch who.hairStyle {
    case .long:
      let scale = painting.scale
      painting.fill((-11, -14, 11, 0), relief: 6, reflectance: who.hairReflectance) { x, y in
        // A dark skull under the hair keeps the background from showing through the parting.
        let outside = 1 - ((x - 0.6) / 9.2 * (x - 0.6) / 9.2 + (y + 3) / 9.9 * (y + 3) / 9.9).squareRoot()
        let brow = 1 - (x / 6.6 * x / 6.6 + (y - 1) / 10.3 * (y - 1) / 10.3).squareRoot()
        return (who.hair * 0.35, Portable.clamp(min(outside * 9, -brow * 7) * scale + 0.5))
      }
      for layer in 0..<2 {
        paintSide(
          on: &painting, Self.outerLeft, Self.innerLeft, stream: UInt64(20 + layer), locks: layer == 0 ? 16 : 24)
        paintSide(
          on: &painting, Self.outerRight, Self.innerRight, stream: UInt64(30 + layer), locks: layer == 0 ? 14 : 20)
      }
      for step in 0..<24 {
        // The parting.
        let t = Float(step) / 23
        painting.dab(
          Point(1.3 - 0.25 * t, -9.5 - 3.4 * t), radii: Point(0.13, 0.30), Color(0.42, 0.38, 0.36),
          strength: 0.5 * (1 - 0.5 * t))
      }
      paintFlyaways(on: &painting)
    case .short: paintShort(on: &painting)
    }
  }

  func paintBack(on painting: inout Painting) {
    guard who.hairStyle == .long else { return }
    var random = Scatter(who.seed, 40)
    let scale = painting.scale
    painting.fill((-10, -6, 10, 15), relief: 0, reflectance: who.hairReflectance) { x, y in
      let w: Float = 9.2 - 0.05 * y
      return (who.hair * 0.20, Portable.clamp(min(w - abs(x), 14.5 + 0.8 * Portable.sin(x * 1.7) - y) * scale + 0.5))
    }
    for _ in 0..<260 {
      let x0 = random.next(-9, 9)
      let bend = random.signed() * 0.8
      let shade = 0.16 + 0.25 * random.next()
      let end = random.next(13.5, 17)
      let strand = Strand(
        points: [Point(x0 * 0.92, 0), Point(x0 + bend * 0.4, 6), Point(x0 - bend, 11), Point(x0 * 0.97 + bend, end)],
        steps: 26)
      paint(strand, on: &painting, relief: { _ in 0 }) { _, _, _ in
        Brush(color: who.hair * shade, half: 0.12, opacity: 0.95)
      }
    }
  }

  private func paintSide(on painting: inout Painting, _ outer: [Point], _ inner: [Point], stream: UInt64, locks: Int) {
    var random = Scatter(who.seed, stream)
    for lock in 0..<locks {
      let q = 1 - (Float(lock) + random.next(0.2, 0.8)) / Float(locks)
      let bright = random.next(0.72, 1.2)
      let phase = random.next(0, 6.28)
      let wave = random.next(0.45, 0.95)
      let pace = random.next(4.6, 5.8)
      let spread = random.next(0.75, 1.25)
      let ends = random.next(0.86, 1.0)
      let guide = zip(inner, outer).map { $0 + ($1 - $0) * q }
      let taper = { (t: Float) in
        (0.45 + 0.55 * Portable.smooth(0, 0.35, t)) * (0.25 + 0.75 * Portable.smooth(0, 0.05, t))
          * (1 - 0.55 * Portable.smooth(0.75, 1, t))
      }
      // The first strand is a dark, wide bed, so that nothing shows between the others.
      for strand in -1..<30 {
        let c = strand < 0 ? 0 : random.signed()
        let own = random.next(0.78, 1.22)
        let lift = random.signed() * 0.10
        let reach = ends * random.next(0.93, 1)
        let cut = strand < 0 ? 0.93 * ends : reach
        let half: Float = strand < 0 ? 0.55 * spread : random.next(0.038, 0.080)
        paint(
          Strand(points: guide, steps: 42, until: cut), on: &painting,
          aside: { t in
            let loose = Portable.smooth(0.34, 0.85, t)
            let curl = Portable.sin(phase + pace * t * 2.2) * wave * loose
            return curl + (c * 0.62 * spread + lift * t) * taper(t)
          },
          relief: Self.volume
        ) { p, along, t in
          if strand < 0 { return Brush(color: who.hair * 0.28 * bright, half: half * taper(t)) }
          return Brush(color: shade(p, along, across: c) * (bright * own), half: half, opacity: 0.92)
        }
      }
    }
  }

  private func paintFlyaways(on painting: inout Painting) {
    var random = Scatter(who.seed, 50)
    for i in 0..<420 {
      let left = i % 2 == 0
      let (outer, inner) = left ? (Self.outerLeft, Self.innerLeft) : (Self.outerRight, Self.innerRight)
      let q = random.next(0.90, 1.05)
      // The outside of a line that runs down on the left is its right side.
      let away = random.next(-0.3, 1.6) * (left ? 1 : -1)
      let up = random.next(-0.1, 0.55) * (left ? 1 : -1)
      let phase = random.next(0, 6.28)
      let from = random.next(0, 0.75)
      let to = min(from + random.next(0.12, 0.45), 1)
      let opacity = random.next(0.3, 0.85)
      let guide = zip(inner, outer).map { $0 + ($1 - $0) * q }
      paint(
        Strand(points: guide, steps: 40, from: from, until: to), on: &painting,
        aside: { t in
          let s = (t - from) / (to - from)
          return (away + up * (1 - Portable.smooth(0.2, 0.5, t))) * s * s + 0.15 * Portable.sin(phase + 9 * t) * s
        },
        relief: Self.volume
      ) { p, along, _ in
        Brush(color: shade(p, along, across: 0) * 1.5 + Color(0.05, 0.03, 0.02), half: 0.026, opacity: opacity)
      }
    }
  }

  /// Height on the ball over the head, easing into the straight fall.
  private static func crown(_ y: Float) -> Float {
    let d = (y - 1) / 15.2
    return d > 0 ? 0 : d < -0.2 ? d + 0.1 : -d * d * 2.5
  }

  /// How far the hair stands out: a ball over the head, hanging straight below it.
  static func volume(_ p: Point) -> Float {
    let x = p.x / 11.3
    let y = Self.crown(p.y)
    return 8.6 * max(1 - x * x - y * y, 0).squareRoot() + 0.2
  }

  /// Light on a strand (Kajiya and Kay, 1989), including the locks' roundness.
  func shade(_ p: Point, _ along: Point, across c: Float) -> Color {
    let x = p.x / 11.3
    let y = Self.crown(p.y)
    let z = max(1 - x * x - y * y, 0.02).squareRoot()
    let n = Light.unit(x + 0.35 * c, y + 0.1 * Portable.smooth(0, 8, p.y), z)
    // The strand rises and falls with the surface below it.
    let slope = -(n.x * along.x + n.y * along.y) / max(n.z, 0.25)
    let t = Light.unit(along.x, along.y, slope)
    let wobble = 0.10 * Scatter.noise(p.x * 1.6, p.y * 0.7, 9)
    let half = Light.unit(light.key.x, light.key.y, light.key.z + 1)
    let th = Light.dot(t, half) + wobble
    let ring = max(1 - th * th, 0)
    let r4 = ring * ring * ring * ring
    let r16 = r4 * r4 * r4 * r4
    let facing = Portable.clamp(0.25 + 0.75 * Light.dot(n, light.key))
    let tl = Light.dot(t, light.key)
    let diffuse = max(1 - tl * tl, 0).squareRoot() * facing
    let buried = 1 - 0.45 * c * c
    var color = who.hair * (light.keyColor * diffuse + light.above * (0.55 - 0.35 * n.y)) * buried
    color += who.hairShine * light.keyColor * ((0.16 * r16 + 0.05 * r4) * facing * buried)
    let graze = 1 - max(n.z, 0)
    color += who.hairShine * light.rimColor * (0.55 * graze * graze * max(Light.dot(n, light.rim), 0))
    color += who.hairShine * light.coolRimColor * (0.40 * graze * graze * max(Light.dot(n, light.coolRim), 0))
    return color
  }

  /// Draws a strand, moved sideways by `aside`; the brush depends on the position, the direction and the position along
  /// the strand.
  func paint(
    _ strand: Strand, on painting: inout Painting, aside: (Float) -> Float = { _ in 0 }, relief: (Point) -> Float,
    brush: (Point, Point, Float) -> Brush
  ) {
    let (steps, from, until) = (strand.steps, strand.from, strand.until)
    func position(_ t: Float) -> Point {
      let (point, normal) = strand.at(t)
      return point + normal * aside(t)
    }
    var last = position(from)
    for step in 1...steps {
      let t = from + (until - from) * Float(step) / Float(steps)
      let next = position(t)
      let way = next - last
      let length = (way.x * way.x + way.y * way.y).squareRoot()
      if length > 0 {
        var brush = brush(last, way / length, t)
        let fade = Portable.smooth(1, 0.9, Float(step) / Float(steps))
        brush.half *= 0.35 + 0.65 * fade
        painting.stroke(from: last, to: next, brush, relief: relief(last), reflectance: who.hairReflectance)
      }
      last = next
    }
  }
}
