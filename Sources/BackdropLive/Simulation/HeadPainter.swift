/// Paints a face as a lit relief: eyes shut, no lips, so that both can move on top of it.
struct HeadPainter {
  typealias Color = SIMD3<Float>

  let who: Character
  let light: Light

  /// Half the face's width at a height, and how far its middle line stands out.
  static let outline = Curve([
    (-12.2, 0), (-11.9, 2.2), (-11.2, 4.0), (-10, 5.5), (-8, 6.75), (-5.5, 7.4), (-3, 7.6), (0, 7.5), (2.5, 7.25),
    (4.8, 6.75), (6.8, 5.95), (8.5, 4.85), (9.7, 3.85), (10.6, 2.85), (11.2, 1.9), (11.55, 1.0), (11.7, 0),
  ])
  static let profile = Curve([
    (-12.2, 0), (-11.5, 3.0), (-10, 5.2), (-8, 6.8), (-6, 7.6), (-4, 8.0), (-2, 8.1), (0, 7.8), (2, 7.8), (5, 8.0),
    (7, 8.1), (8.6, 8.0), (9.6, 8.05), (10.5, 7.5), (11.2, 6.2), (11.7, 4.2),
  ])
  static let noseRidge = Curve([
    (-1.6, 0), (0, 0.35), (1.6, 0.85), (3.0, 1.45), (3.9, 1.85), (4.4, 1.85), (4.9, 1.35), (5.35, 0.45), (5.7, 0),
  ])
  static let eyeX: Float = 3.2
  static let eyeY: Float = 0.9

  /// How far the face stands out at a point inside its outline.
  static func relief(_ x: Float, _ y: Float, halfWidth w: Float, profile d: Float, ridge: Float) -> Float {
    let side = min(abs(x) / max(w, 0.01), 1)
    var h = d * max(1 - side * side * (0.75 + 0.25 * side), 0).squareRoot()
    let ax = abs(x)
    if ridge > 0 { h += ridge * Portable.bell(x, 0.72 + 0.11 * max(y, 0), 0, 1) }
    h += 0.72 * Portable.bell(ax - 1.18, 0.52, y - 4.62, 0.60)
    h -= 0.85 * Portable.bell(ax - eyeX, 2.1, y - eyeY + 0.1, 1.35)
    h += 0.72 * Portable.bell(ax - eyeX, 1.45, y - eyeY, 1.0)
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
    let width = painting.width
    let height = painting.height
    var relief = [Float](repeating: 0, count: width * height)
    var inside = [Float](repeating: -1, count: width * height)
    for row in 2..<height - 2 {
      let y = painting.y(row)
      guard y > -12.4 && y < 12 else { continue }
      let w = Self.outline(y)
      let lean = (Self.outline(y + 0.05) - Self.outline(y - 0.05)) * 10
      let steep = (1 + lean * lean).squareRoot()
      let d = Self.profile(y)
      let ridge = Self.noseRidge(y)
      for column in painting.columns(-w - 0.3, w + 0.3) {
        let x = painting.x(column)
        relief[row * width + column] = Self.relief(x, y, halfWidth: w, profile: d, ridge: ridge)
        inside[row * width + column] = (w - abs(x)) / steep
      }
    }
    let wide = Relief.blurred(relief, width: width, height: height, radius: Int(1.3 * painting.scale))
    let narrow = Relief.blurred(relief, width: width, height: height, radius: Int(0.4 * painting.scale))
    paintEars(on: &painting)
    let half = painting.scale * 0.5
    for row in 2..<height - 2 {
      let y = painting.y(row)
      for column in 2..<width - 2 {
        let i = row * width + column
        let coverage = painting.edge(inside[i])
        guard coverage > 0 else { continue }
        let x = painting.x(column)
        let n = Light.unit(
          (relief[i - 1] - relief[i + 1]) * half, (relief[i - width] - relief[i + width]) * half, 1)
        // Hollows see less sky; the outline's own fall does not count.
        let rim = Portable.smooth(0, 1.6, inside[i])
        let hollow = max(wide[i] - relief[i], 0) * 0.42 + max(narrow[i] - relief[i], 0) * 1.5
        let open = 1 - min(hollow * rim, 0.62)
        let color = light.shade(skin(x, y), n, open: open, .skin)
        painting.lay(color, coverage, relief: relief[i], reflectance: 225, at: i)
      }
    }
    paintDetails(on: &painting)
  }

  /// The skin's own colour: blood near the surface at cheeks, nose and chin, less of it on the forehead.
  private func skin(_ x: Float, _ y: Float) -> Color {
    let ax = abs(x)
    var red = 0.85 * Portable.bell(ax - 4.3, 2.0, y - 4.6, 1.7) + 0.5 * Portable.bell(x, 1.4, y - 4.4, 1.0)
    red += 0.25 * Portable.bell(x, 2.2, y - 10.2, 1.2) + 0.3 * Portable.bell(ax - 3.2, 1.9, y - 2.0, 0.5)
    let mottled = 1 + 0.025 * Scatter.noise(x * 2.1, y * 2.1, 5) + 0.012 * Scatter.noise(x * 9, y * 9, 6)
    let lid = Portable.bell(ax - Self.eyeX, 1.7, y - Self.eyeY + 0.5, 0.8)
    return who.skin * (Color(1, 1 - 0.20 * red, 1 - 0.23 * red) * mottled) * (Color(1, 1, 1) - Color(0.06, 0.15, 0.13) * lid)
  }

  private func paintEars(on painting: inout Painting) {
    for side: Float in [-1, 1] {
      let cx = side * 7.75
      painting.fill(cx - 2, -1.6, cx + 2, 5.4, relief: 2.2, reflectance: 210) { x, y in
        let u = (x - cx) * side / 1.25
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
    // Nostrils and the shade under the nose.
    for side: Float in [-1, 1] {
      painting.dab(side * 0.62, 5.22, 0.36, 0.17, Color(0.22, 0.10, 0.08))
      painting.dab(side * 1.72, 4.75, 0.16, 0.42, Color(0.72, 0.58, 0.54))
      painting.dab(side * Self.eyeX, Self.eyeY - 1.45, 1.6, 0.14, Color(0.70, 0.54, 0.48), strength: 0.8)
      painting.dab(side * (Self.eyeX - 0.2), Self.eyeY + 1.55, 1.3, 0.22, Color(0.86, 0.78, 0.78), strength: 0.7)
    }
    painting.dab(0, 5.75, 1.2, 0.45, Color(0.80, 0.66, 0.62), strength: 0.7)
    painting.dab(0, 8.85, 1.4, 0.28, Color(0.82, 0.70, 0.67), strength: 0.7)
    paintBrows(on: &painting)
  }

  private func paintBrows(on painting: inout Painting) {
    var random = Scatter(who.seed, 11)
    let strong: Float = who.hairStyle == .short ? 1.35 : 1
    let dark = Portable.mix(who.hair, who.hairShine, 0.06)
    for side: Float in [-1, 1] {
      painting.dab(side * 3.5, -2.25, 1.55, 0.28 * strong, Color(0.55, 0.46, 0.42), strength: 0.9)
      for i in 0..<Int(90 * strong) {
        let t = (Float(i) + random.next()) / (90 * strong)
        let arch = -2.05 - 0.62 * Portable.sin(t * 2.5) + 0.22 * t
        let thick = 0.36 * strong * (1 - t * t * 0.85)
        let x = 1.55 + 4.0 * t
        let y = arch + thick * random.signed()
        let length = 0.50 + 0.25 * random.next()
        let tilt: Float = 0.85 - 1.05 * t + 0.2 * random.signed()
        let a = SIMD2(side * x, y)
        let b = SIMD2(side * (x + length * (1 - 0.35 * abs(tilt))), y - length * 0.55 * tilt)
        painting.stroke(from: a, to: b, half: 0.035, color: dark * (0.7 + 0.5 * random.next()), opacity: 0.8)
      }
    }
  }
}

/// Work on fields of heights.
enum Relief {
  /// The mean over a square of side 2·radius + 1, twice; the field is taken as 0 outside.
  static func blurred(_ field: [Float], width: Int, height: Int, radius: Int) -> [Float] {
    var result = field
    var line = [Float](repeating: 0, count: max(width, height))
    let share = 1 / Float(2 * radius + 1)
    for _ in 0..<2 {
      for y in 0..<height { smear(&result, &line, from: y * width, step: 1, count: width, radius, share) }
      for x in 0..<width { smear(&result, &line, from: x, step: width, count: height, radius, share) }
    }
    return result
  }

  @inline(__always) private static func smear(
    _ field: inout [Float], _ line: inout [Float], from start: Int, step: Int, count: Int, _ radius: Int, _ share: Float
  ) {
    for i in 0..<count { line[i] = field[start + i * step] }
    var sum: Float = 0
    for i in 0..<min(radius, count) { sum += line[i] }
    for i in 0..<count {
      if i + radius < count { sum += line[i + radius] }
      field[start + i * step] = sum * share
      if i >= radius { sum -= line[i - radius] }
    }
  }
}
