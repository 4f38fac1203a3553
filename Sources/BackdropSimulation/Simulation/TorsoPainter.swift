/// Paints neck, shirt collar, jumper and shoulders.
struct TorsoPainter {
  let who: Persona
  let light: Light

  /// The line of neck and shoulders: its height by the distance from the middle.
  private var shoulders: Curve {
    let broad: Float = who.hairStyle == .short ? 1.10 : 1
    return Curve([
      (0, 11.4), (4.6 * broad, 13.0), (6.4 * broad, 14.7), (9 * broad, 16.0), (12.5 * broad, 17.2), (16 * broad, 18.6),
      (18.6 * broad, 20.4), (20.4 * broad, 23.2), (21.6 * broad, 27), (22.4 * broad, 32), (22.8 * broad, 40),
    ])
  }

  func paint(on painting: inout Painting) {
    paintNeck(on: &painting)
    paintJumper(on: &painting)
    paintCollar(on: &painting)
  }

  private func paintNeck(on painting: inout Painting) {
    for row in painting.rows(5, 20) {
      let y = painting.y(row)
      let w = 4.5 + 0.05 * (y - 9) * (y - 9) * (y > 9 ? 0.6 : 0)
      for column in painting.columns(-w - 1, w + 1) {
        let x = painting.x(column)
        let coverage = painting.edge(w - abs(x))
        guard coverage > 0 else { continue }
        let s = x / w
        // The tendons that meet above the breastbone.
        let cord = Portable.bell(abs(x) - max(3.4 - 0.32 * (y - 10), 0.6), 0.55, 0, 1)
        let n = Light.unit(s * 0.95 + 0.12 * cord * (x > 0 ? 1 : -1), -0.05, (1 - 0.85 * s * s).squareRoot())
        let chin = Portable.smooth(16.5, 11.0, y + 0.035 * (x - 1.2) * (x - 1.2))
        let open = 1 - 0.80 * chin
        var color = light.shade(who.skin * Color(1, 0.93, 0.90), n, open: open, shadow: chin, .skin)
        color = color * (1 - 0.12 * chin) + who.skin * Color(0.09, 0.035, 0.022) * chin
        painting.lay(
          color, coverage, relief: 5.2 * max(1 - s * s, 0).squareRoot() - 1, reflectance: 215,
          at: row * painting.width + column)
      }
    }
  }

  /// The relief of the jumper.
  private func relief(_ x: Float, _ y: Float, top: Float) -> Float {
    let drop = max(y - top, 0)
    let round = min(drop / 6.5, 1)
    let body = 8.2 * max(1 - (x / 25) * (x / 25), 0).squareRoot()
    var h = body * (1 - (1 - round) * (1 - round)).squareRoot()
    // The arm separates from the chest.
    let arm = abs(x) - 15.2 + 0.05 * (y - 24)
    h -= 1.1 * Portable.bell(arm, 0.8, 0, 1) * Portable.smooth(20.5, 25, y)
    // Folds stretch from the armpit to the neck, and some hang down.
    let ax = abs(x)
    let pull =
      Scatter.noise(x * 0.05 + y * 0.30, ax * 0.42 - y * 0.16, UInt32(truncatingIfNeeded: who.seed))
      * Portable.smooth(2, 9, ax)
    let fall = Scatter.noise(x * 0.36, y * 0.10, 3)
    h += (0.62 * pull + 0.40 * fall) * Portable.smooth(0.5, 5, drop)
    return h
  }

  private func paintJumper(on painting: inout Painting) {
    let line = shoulders
    let (width, height) = (painting.width, painting.height)
    var heights = [Float](repeating: 0, count: width * height)
    // The line gives the top of each column; the arms hang below its end.
    let tops = (0..<width).map { line(abs(painting.x($0))) }
    let slopes = (0..<width).map { (line(abs(painting.x($0)) + 0.1) - line(abs(painting.x($0)) - 0.1)) * 5 }
    for row in 2..<height - 2 {
      let y = painting.y(row)
      guard y > 9 else { continue }
      for column in 2..<width - 2 { heights[row * width + column] = relief(painting.x(column), y, top: tops[column]) }
    }
    let wide = painting.blurred(heights, radius: 1.6)
    let half = painting.scale * 0.5
    for row in 3..<height - 3 {
      let y = painting.y(row)
      guard y > 10 else { continue }
      for column in 3..<width - 3 {
        let x = painting.x(column)
        let neckline = Self.neckline(x)
        let steep = (1 + slopes[column] * slopes[column]).squareRoot()
        let coverage = min(painting.edge((y - tops[column]) / steep), painting.edge(y - neckline))
        guard coverage > 0 else { continue }
        let i = row * width + column
        // The ribs of the knitting, and a ribbed band around the neck.
        let band = Portable.smooth(neckline + 1.9, neckline + 1.7, y)
        let rib = Portable.sin(x * (band > 0.5 ? 9 : 15) + 0.5 * Scatter.noise(x * 0.4, y * 0.5, 8))
        let stitch = Portable.sin(y * 17 + rib * 0.8)
        let roll = band * Portable.sin((y - neckline) / 1.8 * 3.14159)
        let n = Light.unit(
          (heights[i - 1] - heights[i + 1]) * half + 0.07 * rib,
          (heights[i - width] - heights[i + width]) * half + 0.025 * stitch - band * 0.9 * (0.5 - (y - neckline) / 1.8),
          1)
        let hollow = max(wide[i] - heights[i], 0) * Portable.smooth(0.5, 3, y - tops[column])
        let seam = Portable.bell(y - neckline - 1.85, 0.16, 0, 1)
        let head = Portable.smooth(20, 14.5, y + 0.03 * x * x)
        let open = (1 - min(hollow * 0.5, 0.5)) * (1 - 0.35 * seam) * (1 - 0.45 * head)
        let texture = 1 + 0.09 * rib + 0.03 * stitch + 0.08 * Scatter.noise(x * 3, y * 3, 4)
        let color = light.shade(who.cloth * texture, n, open: open, .cloth)
        painting.lay(color, coverage, relief: heights[i] + 0.5 * roll, reflectance: who.clothReflectance, at: i)
      }
    }
  }

  private static func neckline(_ x: Float) -> Float { 17.6 - 0.085 * x * x }

  private func paintCollar(on painting: inout Painting) {
    let scale = painting.scale
    for side: Float in [-1, 1] {
      // A flap folded over: inner edge along the neck, point towards the breastbone.
      let corners: [Point] = [
        [side * 5.3, 12.6], [side * 6.4, 14.0], [side * 4.6, 19.3], [side * 0.35, 17.4], [side * 3.6, 15.6],
      ]
      // The flap's shadow.
      painting.dab(SIMD2(side * 4.6, 18.6), radii: SIMD2(1.5, 1.2), Color(0.45, 0.45, 0.45), strength: 0.9)
      let shape = Polygon(corners: corners)
      painting.fill((side > 0 ? 0 : -7, 12, side > 0 ? 7 : 0, 20), relief: 7.2, reflectance: 235) { x, y in
        let inside = shape.inside(SIMD2(x, y))
        guard inside > -0.2 else { return (.zero, 0) }
        let fold =
          Portable.smooth(0.9, 0, Polygon.distance(SIMD2(x, y), corners[0], corners[4]))
          + Portable.smooth(0.9, 0, Polygon.distance(SIMD2(x, y), corners[4], corners[3]))
        let n = Light.unit(side * (0.40 - 0.6 * fold), 0.05 - 0.55 * fold + 0.16 * Scatter.noise(x, y * 0.6, 2), 0.75)
        let stitch = Portable.smooth(0.07, 0.03, abs(inside - 0.32)) * 0.12
        let under = Portable.smooth(13.5, 11.8, y) * 0.5
        let color = light.shade(who.collar, n, open: 0.92 - stitch - under, .cloth)
        return (color, Portable.clamp(inside * scale + 0.5))
      }
    }
  }
}

struct Polygon {
  let corners: [Point]

  /// Distance to the outline, positive inside.
  func inside(_ p: Point) -> Float {
    var nearest = Float.infinity
    var isInside = false
    var j = corners.count - 1
    for i in corners.indices {
      let a = corners[i]
      let b = corners[j]
      nearest = min(nearest, Self.distance(p, a, b))
      if (a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x { isInside.toggle() }
      j = i
    }
    return isInside ? nearest : -nearest
  }

  /// The distance from a point to a line segment.
  static func distance(_ p: Point, _ a: Point, _ b: Point) -> Float {
    let along = b - a
    let way = p - a
    let t = Portable.clamp((way.x * along.x + way.y * along.y) / (along.x * along.x + along.y * along.y))
    let d = way - along * t
    return (d.x * d.x + d.y * d.y).squareRoot()
  }
}
