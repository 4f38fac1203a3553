/// Short hair, beard and glasses.
extension HairPainter {
  func paintShort(on painting: inout Painting) {
    let scale = painting.scale
    // The body of the hair lies between the skull's outline and the hairline.
    let body = Self.cap
    painting.fill((-10, -15, 10, 3), relief: 5, reflectance: who.hairReflectance) { x, y in
      let ragged = body.inside(Point(x, y)) - 0.10 + 0.10 * Scatter.noise(x * 5, y * 3, 83)
      return (who.hair * 0.42, Portable.clamp(ragged * scale * 0.5 + 0.5) * Portable.smooth(1.6, 0.2, y))
    }
    paintSideburns(on: &painting)
    paintCrest(on: &painting)
  }

  /// From sideburn to sideburn around the skull, and back along the hairline.
  private static let cap = Polygon(corners: [
    [-7.75, 1.6], [-8.2, -1.5], [-8.45, -5], [-8.1, -8], [-6.9, -10.8], [-4.6, -12.8], [-1.6, -13.7], [1.6, -13.7],
    [4.6, -12.8], [6.9, -10.8], [8.1, -8], [8.45, -5], [8.2, -1.5], [7.75, 1.6], [7.0, 1.6], [7.05, -1.0],
    [6.85, -3.2], [6.35, -5.2], [5.5, -6.5], [3.6, -7.5], [0, -8.0], [-3.6, -7.5], [-5.5, -6.5], [-6.35, -5.2],
    [-6.85, -3.2], [-7.05, -1.0], [-7.0, 1.6],
  ])

  private func paintSideburns(on painting: inout Painting) {
    var random = Scatter(who.seed, 80)
    for side: Float in [-1, 1] {
      for _ in 0..<1100 {
        let y = random.next(-9.5, 1.4)
        let x = side * random.next(5.6, 8.5)
        guard Self.cap.inside(Point(x, y)) > -0.12 else { continue }
        let length = random.next(0.5, 1.1)
        let tone = random.next(0.6, 1.25)
        let strand = Strand(points: [Point(x, y), Point(x + side * 0.18, y + length)], steps: 3)
        paint(strand, on: &painting, relief: { _ in 4.5 }) { p, along, _ in
          Brush(color: shade(p, along, across: 0) * tone, half: 0.035, opacity: 0.8)
        }
      }
    }
  }

  /// Locks brushed up and over, from the back of the head to the hairline.
  private func paintCrest(on painting: inout Painting) {
    var random = Scatter(who.seed, 81)
    let count = 112
    for lock in 0..<count {
      let depth = Float(lock) / Float(count - 1)
      let x0 = random.next(-6.9, 5.6)
      let y0 = -11.0 + 3.1 * depth + 0.045 * x0 * x0 * depth + random.next(-0.4, 0.4) + 0.02 * x0 * x0 * (1 - depth)
      let sweep = random.next(2.2, 3.9) * (1 - 0.04 * x0)
      let rise = random.next(2.6, 3.9) * (0.80 + 0.25 * depth) * (1 - 0.0085 * x0 * x0)
      let tone = random.next(0.75, 1.2)
      let thick = random.next(0.36, 0.58)
      let guide = [
        Point(x0, y0), Point(x0 + 0.10 * sweep, y0 - rise * 0.62), Point(x0 + 0.50 * sweep, y0 - rise * 0.98),
        Point(x0 + sweep, y0 - rise * 0.86),
      ]
      let taper = { (t: Float) in (0.30 + 0.70 * Portable.smooth(0, 0.3, t)) * (1 - 0.75 * t * t) }
      for strand in -1..<22 {
        let c = strand < 0 ? 0 : random.signed()
        let own = random.next(0.75, 1.25)
        let half: Float = strand < 0 ? 0.5 * thick : random.next(0.03, 0.06)
        paint(
          Strand(points: guide, steps: 16, until: strand < 0 ? 0.85 : random.next(0.85, 1.0)), on: &painting,
          aside: { t in c * 0.62 * thick * taper(t) }, relief: Self.volume
        ) { p, along, t in
          if strand < 0 { return Brush(color: who.hair * 0.40 * tone, half: half * taper(t)) }
          let color = (shade(p, along, across: c) + who.hairShine * 0.03) * (tone * own)
          return Brush(color: color, half: half, opacity: 0.92)
        }
      }
    }
    for _ in 0..<90 {
      let x0 = random.next(-7.2, 7.2)
      let y0 = -3.6 - 9.7 * max(1 - x0 / 8.4 * x0 / 8.4, 0).squareRoot()
      let lean = random.next(-0.3, 1.5)
      let tall = random.next(0.3, 1.3)
      let opacity = random.next(0.3, 0.8)
      let strand = Strand(
        points: [Point(x0, y0 + 0.4), Point(x0 + 0.3 * lean, y0 - 0.5 * tall), Point(x0 + lean, y0 - tall)], steps: 8)
      paint(strand, on: &painting, relief: Self.volume) { p, along, _ in
        Brush(color: shade(p, along, across: 0) * 1.4, half: 0.024, opacity: opacity)
      }
    }
  }

  /// The area of a beard, 0…1.
  private static func beard(_ x: Float, _ y: Float) -> Float {
    let a = abs(x)
    let mouth = Portable.smooth(
      0.05, 0.75, (x / 2.95 * x / 2.95 + (y - 7.45) / 1.55 * (y - 7.45) / 1.55).squareRoot() - 0.75)
    let line = 6.3 - 0.75 * (a - 3) - 5 * max(a - 6.3, 0)
    let cheek = Portable.smooth(-0.5, 1.1, y - line)
    let lip = Portable.bell(a - 1.15, 1.55, y - 6.30, 0.42)
    let below = Portable.bell(x, 0.75, y - 9.1, 0.5)
    return min(max(cheek * mouth, lip, below * 0.9), 1)
  }

  func paintBeard(on painting: inout Painting) {
    for row in painting.rows(-2, 12.5) {
      let y = painting.y(row)
      for column in painting.columns(-8.5, 8.5) {
        let i = row * painting.width + column
        guard painting.pixels[i].w > 0.5 else { continue }
        let amount = Self.beard(painting.x(column), y) * 0.72
        guard amount > 0.01 else { continue }
        let own = SIMD3(painting.pixels[i].x, painting.pixels[i].y, painting.pixels[i].z)
        let color = Portable.mix(own, who.hair * 0.8 + own * 0.08, amount) * painting.pixels[i].w
        painting.pixels[i] = SIMD4(color, painting.pixels[i].w)
        if amount > 0.4 { painting.reflectance[i] = max(who.hairReflectance, 52) }
      }
    }
    var random = Scatter(who.seed, 82)
    for _ in 0..<5200 {
      let x = random.next(-7.3, 7.3)
      let y = random.next(-1, 11.9)
      guard random.next() < Self.beard(x, y), abs(x) < HeadPainter.halfWidth(min(y, 11.4)) - 0.15 else { continue }
      let a = Point(x, y)
      let way =
        Point(x * 0.10 + random.signed() * 0.25, y < 6.9 && abs(x) < 3 ? 0.35 : 0.62)
        * (random.next(0.45, 0.9) * (y > 9.5 ? 0.75 : 1))
      let light = (0.45 + 0.75 * Portable.clamp(0.55 - x * 0.07)) * random.next(0.6, 1.3)
      let brush = Brush(color: (who.hair + who.hairShine * 0.12) * light, half: 0.032, opacity: 0.75)
      painting.stroke(from: a, to: a + way, brush)
    }
  }

  /// Paints glasses on a sprite over the eyes.
  func paintGlasses(on painting: inout Painting) {
    let scale = painting.scale
    for side: Float in [-1, 1] {
      let cx = side * 3.35
      painting.fill((cx - 3.2, -2, cx + 3.2, 4), relief: 9.1, reflectance: 20) { x, y in
        let u = abs(x - cx) / 2.75
        let v = abs(y - 1.0) / 2.25
        let ring = (u * u * u + v * v * v)
        // The slope of the cube root converts the ring back to units.
        let r = (ring - 1) * 0.85
        let half: Float = y < 0.2 ? 0.105 : 0.085
        let frame = Portable.clamp((half - abs(r)) * 2.3 * scale + 0.5)
        let sheen = r < 0 ? 0.10 * Portable.smooth(0.5, 0.2, abs((x - cx) * 0.7 + (y - 1) - 0.6 * side)) : 0
        let glint = Portable.bell(r - 0.02, 0.05, x - cx + 1.6, 0.9)
        let color = Portable.mix(
          Color(0.85, 0.92, 1.0), Color(0.020, 0.016, 0.015) + Color(0.30, 0.30, 0.32) * glint, frame)
        return (color, max(frame, sheen))
      }
      painting.stroke(
        from: Point(side * 6.0, 0.35), to: Point(side * 7.6, 0.55),
        Brush(color: Color(0.020, 0.016, 0.015), half: 0.14), relief: 7, reflectance: 20)
    }
    for step in 0..<8 {
      let t = Float(step) / 4 - 1
      let a = Point(t * 0.72, 0.30 + 0.22 * t * t)
      let s = t + 0.25
      painting.stroke(
        from: a, to: Point(s * 0.72, 0.30 + 0.22 * s * s), Brush(color: Color(0.025, 0.020, 0.018), half: 0.12),
        relief: 9.3, reflectance: 20)
    }
  }
}
