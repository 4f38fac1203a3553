/// Paints a face as a lit relief, with closed eyes and no lips, so that sprites of both can move on top of it.
struct HeadPainter {
  let who: Persona
  let light: Light

  /// The square of half the face's width, by height; the square makes crown and chin round.
  private static let outline = Curve([
    (-12.2, 0), (-11.2, 16), (-10, 30), (-8, 45.5), (-5.5, 54.7), (-3, 57.6), (0, 56.2), (2.5, 52.5), (4.8, 45.5),
    (6.8, 35.5), (8.5, 24), (9.8, 14.2), (10.8, 6.6), (11.6, 0),
  ])
  /// The profile of the middle line.
  private static let profile = Curve([
    (-12.2, 0), (-11.5, 3.0), (-10, 5.2), (-8, 6.8), (-6, 7.6), (-4, 8.0), (-2, 8.1), (0, 7.9), (2, 7.9), (5, 8.0),
    (7, 8.1), (8.6, 8.0), (9.6, 8.0), (10.5, 7.75), (11.2, 7.3), (11.8, 6.7),
  ])
  static func halfWidth(_ y: Float) -> Float {
    guard y > -12.2 && y < 11.6 else { return 0 }
    let spread = min(0.6, (11.6 - y) * 0.5, (12.2 + y) * 0.5)
    let square = outline(y) * 0.4 + (outline(y - spread) + outline(y + spread)) * 0.3
    return max(square, 0).squareRoot()
  }
  static let eyeX: Float = 3.3
  /// The eyes are larger than life, as in drawn faces.
  static let eyeSize: Float = 1.22
  static let eyeY: Float = 0.9

  /// The relief of the face at a point inside its outline.
  private static func relief(_ x: Float, _ y: Float, halfWidth w: Float, profile d: Float) -> Float {
    let side = min(abs(x) / max(w, 0.01), 1)
    var h = d * max(1 - side * side * (0.75 + 0.25 * side), 0).squareRoot()
    let ax = abs(x)
    // Nose: bridge, tip, wings.
    h += 0.95 * Portable.bell(x, 0.95, y - 1.9, 2.3)
    h += 1.45 * Portable.bell(x, 1.02, y - 4.05, 1.02)
    h += 0.70 * Portable.bell(ax - 1.20, 0.55, y - 4.55, 0.60)
    h -= 0.95 * Portable.bell(ax - eyeX, 2.3, y - eyeY + 0.1, 1.55)
    h += 0.80 * Portable.bell(ax - eyeX, 1.7, y - eyeY, 1.2)
    h += 0.30 * Portable.bell(ax - eyeX, 2.6, y + 1.7, 0.9)
    h += 0.55 * Portable.bell(ax - 4.1, 2.0, y - 4.2, 1.9)
    h += 0.35 * Portable.bell(x, 2.5, y - 7.2, 1.7)
    h -= 0.28 * Portable.bell(x, 1.7, y - 9.0, 0.5)
    h += 0.35 * Portable.bell(x, 1.5, y - 10.1, 1.0)
    h -= 0.10 * Portable.bell(x, 0.32, y - 6.0, 0.55)
    // The fold from the nose to the corner of the mouth.
    h -= 0.13 * Portable.bell(ax - (1.9 + (y - 5) * 0.42), 0.42, y - 6.0, 1.4)
    return h
  }

  func paint(on painting: inout Painting) {
    let (width, height) = (painting.width, painting.height)
    var relief = [Float](repeating: 0, count: width * height)
    var inside = [Float](repeating: -1, count: width * height)
    for row in 2..<height - 2 {
      let y = painting.y(row)
      guard y > -12.2 && y < 11.6 else { continue }
      let w = Self.halfWidth(y)
      let lean = min((Self.halfWidth(y + 0.05) - Self.halfWidth(y - 0.05)) * 10, 20)
      let steep = (1 + lean * lean).squareRoot()
      let d = Self.profile(y) * 0.4 + (Self.profile(y - 0.6) + Self.profile(y + 0.6)) * 0.3
      for column in painting.columns(-w - 0.3, w + 0.3) {
        let x = painting.x(column)
        relief[row * width + column] = Self.relief(x, y, halfWidth: w, profile: d)
        inside[row * width + column] = (w - abs(x)) / steep
      }
    }
    let wide = painting.blurred(relief, radius: 1.3)
    let narrow = painting.blurred(relief, radius: 0.4)
    paintEars(on: &painting)
    let half = painting.scale * 0.5
    for row in 2..<height - 2 {
      let y = painting.y(row)
      for column in 2..<width - 2 {
        let i = row * width + column
        let coverage = painting.edge(inside[i])
        guard coverage > 0 else { continue }
        let x = painting.x(column)
        let n = Light.unit((relief[i - 1] - relief[i + 1]) * half, (relief[i - width] - relief[i + width]) * half, 1)
        // Hollows see less sky; the slope at the outline must not count as one.
        let rim = Portable.smooth(0, 1.6, inside[i])
        let hollow = max(wide[i] - relief[i], 0) * 0.42 + max(narrow[i] - relief[i], 0) * 1.5
        // Hair shades the skin below it.
        let fringe = who.hairStyle == .long ? 0.42 * Portable.smooth(1.9, 0.2, inside[i]) * Portable.smooth(9, 6, y) : 0
        let open = 1 - min(hollow * rim + fringe, 0.68)
        let shadow = shadow(relief, of: painting, atColumn: column, row: row)
        let color = light.shade(skin(x, y), n, open: open, shadow: shadow * rim, .skin)
        painting.lay(color, coverage, relief: relief[i], reflectance: 225, at: i)
      }
    }
    paintDetails(on: &painting)
  }

  /// The part of the key light that the relief itself blocks: it steps towards the lamp and looks for higher points.
  private func shadow(_ relief: [Float], of painting: Painting, atColumn x: Int, row y: Int) -> Float {
    let (width, height, scale) = (painting.width, painting.height, painting.scale)
    let here = relief[y * width + x]
    let flat = (light.key.x * light.key.x + light.key.y * light.key.y).squareRoot()
    let way = SIMD2(light.key.x, light.key.y) / flat
    let climb = light.key.z / flat
    var worst: Float = 0
    for step: Float in [0.35, 0.6, 0.9, 1.25, 1.7, 2.3, 3.0] {
      let column = x + Int(way.x * step * scale)
      let row = y + Int(way.y * step * scale)
      guard column >= 0 && row >= 0 && column < width && row < height else { break }
      let above = relief[row * width + column] - here - climb * step
      worst = max(worst, above / (0.25 + 0.22 * step))
    }
    return min(worst, 1)
  }

  /// The skin's own colour, with blood near the surface at cheeks, nose and chin, and less on the forehead.
  private func skin(_ x: Float, _ y: Float) -> Color {
    let ax = abs(x)
    var red = 0.85 * Portable.bell(ax - 4.3, 2.0, y - 4.6, 1.7) + 0.5 * Portable.bell(x, 1.4, y - 4.4, 1.0)
    red += 0.25 * Portable.bell(x, 2.2, y - 10.2, 1.2) + 0.3 * Portable.bell(ax - 3.2, 1.9, y - 2.0, 0.5)
    let mottled = 1 + 0.025 * Scatter.noise(x * 2.1, y * 2.1, 5) + 0.012 * Scatter.noise(x * 9, y * 9, 6)
    let lid = Portable.bell(ax - Self.eyeX, 1.7, y - Self.eyeY + 0.5, 0.8)
    return who.skin * (Color(1, 1 - 0.20 * red, 1 - 0.23 * red) * mottled)
      * (Color(1, 1, 1) - Color(0.06, 0.15, 0.13) * lid)
  }

  private func paintEars(on painting: inout Painting) {
    for side: Float in [-1, 1] {
      let cx = side * 7.6
      painting.fill((cx - 2, -1.6, cx + 2, 5.4), relief: 2.2, reflectance: 210) { x, y in
        let u = (x - cx) * side / 1.1
        let v = (y - 1.9) / (2.7 - 0.25 * (y - 1.9))
        let r = (u * u + v * v).squareRoot()
        let bowl = Portable.bell(u + 0.1, 0.5, v + 0.05, 0.55)
        let helix = Portable.bell(r - 0.74, 0.2, 0, 1)
        let n = Light.unit(side * (0.35 + u * 0.6), v * 0.5 - helix * 0.1, 0.75)
        let red = Color(1, 0.80, 0.76)
        let color = light.shade(who.skin * red, n, open: 0.9 - 0.55 * bowl + 0.12 * helix, .skin)
        return (color, Portable.clamp((1 - r) * 1.25 * 16 + 0.5))
      }
    }
  }

  private func paintDetails(on painting: inout Painting) {
    for side: Float in [-1, 1] {
      painting.dab(Point(side * 0.66, 5.12), radii: Point(0.34, 0.15), Color(0.30, 0.15, 0.12), strength: 0.9)
      painting.dab(Point(side * 1.82, 4.75), radii: Point(0.15, 0.42), Color(0.78, 0.66, 0.62), strength: 0.8)
      // The upper lid's fold and the lower lid's edge follow the eye.
      for step in 0...16 {
        let t = Float(step) / 8 - 1
        let x = side * (Self.eyeX + 0.05) + 1.95 * t
        let arch = 1 - t * t
        painting.dab(
          Point(x, Self.eyeY + 0.15 - 1.95 * arch.squareRoot()), radii: Point(0.26, 0.13), Color(0.70, 0.53, 0.47),
          strength: 0.42 * arch + 0.1)
        painting.dab(
          Point(x * 0.99, Self.eyeY + 0.55 + 0.95 * arch), radii: Point(0.30, 0.20), Color(0.88, 0.81, 0.81),
          strength: 0.40 * arch)
      }
    }
    painting.dab(Point(0, 5.70), radii: Point(1.1, 0.40), Color(0.86, 0.74, 0.71), strength: 0.6)
    painting.dab(Point(0, 8.95), radii: Point(1.4, 0.28), Color(0.84, 0.73, 0.70), strength: 0.6)
    paintBrows(on: &painting)
  }

  private func paintBrows(on painting: inout Painting) {
    var random = Scatter(who.seed, 11)
    let strong: Float = who.hairStyle == .short ? 1.35 : 1
    let dark = Portable.mix(who.hair, who.hairShine, 0.06)
    for side: Float in [-1, 1] {
      painting.dab(Point(side * 3.6, -2.75), radii: Point(1.75, 0.30 * strong), Color(0.50, 0.40, 0.36), strength: 0.9)
      for i in 0..<Int(130 * strong) {
        let t = (Float(i) + random.next()) / (130 * strong)
        let arch = -2.35 - 0.62 * Portable.sin(t * 2.5) + 0.22 * t
        let thick = 0.40 * strong * (1 - t * t * 0.85)
        let x = 1.45 + 4.4 * t
        let y = arch + thick * random.signed()
        let length = 0.50 + 0.25 * random.next()
        let tilt: Float = 0.85 - 1.05 * t + 0.2 * random.signed()
        let a = Point(side * x, y)
        let b = Point(side * (x + length * (1 - 0.35 * abs(tilt))), y - length * 0.55 * tilt)
        let brush = Brush(color: dark * (0.7 + 0.5 * random.next()), half: 0.035, opacity: 0.8)
        painting.stroke(from: a, to: b, brush)
      }
    }
  }
}
