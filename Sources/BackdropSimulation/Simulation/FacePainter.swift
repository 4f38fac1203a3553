/// Paints the moving parts of a face, the open eyes and the mouth, on small sprites over the head's sprite.
struct FacePainter {
  let who: Persona
  let light: Light

  /// An eye on `side` (−1 left in the picture, 1 right), `open` from 0 to 1, whose gaze deviates from straight ahead by `gaze`
  /// units. Its own units are ``HeadPainter/eyeSize`` of the face's.
  struct Eye {
    let side, open: Float
    let gaze: Point

    /// The edges of both lids at `k`, 0 at the inner corner and 1 at the outer one, and the height of the arch there, 0…1.
    fileprivate func lids(_ k: Float) -> (upper: Float, lower: Float, arch: Float) {
      let arch = 4 * k * (1 - k)
      let base = 0.26 - 0.42 * k
      let lower = base + 0.50 * arch * (0.75 + 0.35 * k)
      let peak = arch.squareRoot() * (0.35 * arch + 0.65)
      return (base + (lower - base) * (1 - open) - 1.12 * peak * open, lower, arch)
    }

    func canvas(scale: Float) -> Painting {
      let x = side * HeadPainter.eyeX
      return Painting(
        left: x - 3.1, top: HeadPainter.eyeY - 2.5, right: x + 3.1, bottom: HeadPainter.eyeY + 1.8, scale: scale)
    }
  }

  /// The edges of both lips in one column.
  private struct Lips {
    var upperTop, upperEnd, lowerTop, lowerEnd: Float
  }

  static func mouth(scale: Float) -> Painting {
    Painting(left: -3.4, top: 5.9, right: 3.4, bottom: 10.4, scale: scale)
  }

  func paint(_ eye: Eye, on painting: inout Painting) {
    let side = eye.side
    let (cx, cy) = (side * HeadPainter.eyeX, HeadPainter.eyeY)
    // In the eye's own units.
    let size = HeadPainter.eyeSize
    let fine = painting.scale * size
    let pixel = 1 / fine
    for row in 2..<painting.height - 2 {
      let y = (painting.y(row) - cy) / size
      for column in 2..<painting.width - 2 {
        let x = (painting.x(column) - cx) * side / size
        let i = row * painting.width + column
        let k = Portable.clamp((x + 1.72) / 3.5)
        let (upper, lower, arch) = eye.lids(k)
        guard y > upper - 0.45 && y < lower + 0.30 else { continue }
        let span = Portable.smooth(-1.74, -1.62, x) * Portable.smooth(1.80, 1.68, x)
        let opening = min(y - upper, lower - y)
        let coverage = Portable.clamp(opening * fine + 0.5) * span
        if coverage > 0 {
          let color = ball(of: eye, at: SIMD2(x * side, y), lid: y - upper, corner: arch, pixel: pixel)
          painting.lay(color, coverage, at: i)
        }
        // The lashes' root line along the upper lid, thicker outwards; the lower lid's moist rim.
        let thick = 0.075 + 0.10 * k
        let lash = Portable.clamp((thick - abs(y - upper + thick * 0.55)) * fine + 0.5)
        let wing = Portable.smooth(-1.75, -1.2, x) * Portable.smooth(1.98, 1.75, x)
        painting.lay(Color(0.018, 0.011, 0.009), lash * wing * 0.95, at: i)
        let rim =
          Portable.bell(y - lower - 0.03, 0.07, 0, 1) * Portable.smooth(-1.6, -0.6, x) * Portable.smooth(1.8, 1.5, x)
        painting.lay(who.skin * Color(0.50, 0.30, 0.26), rim * 0.55, at: i)
      }
    }
    paintLashes(of: eye, on: &painting)
  }

  private func paintLashes(of eye: Eye, on painting: inout Painting) {
    let (side, open) = (eye.side, eye.open)
    let dark = Color(0.018, 0.011, 0.009)
    let long: Float = who.hairStyle == .long ? 1 : 0.6
    for lash in 0..<13 {
      let k = 0.25 + 0.75 * Float(lash) / 12
      let x = -1.72 + 3.5 * k
      let y = eye.lids(k).upper
      let length = (0.20 + 0.30 * k) * long
      let a = SIMD2(
        HeadPainter.eyeX * side + side * x * HeadPainter.eyeSize, HeadPainter.eyeY + y * HeadPainter.eyeSize)
      let turn = (k - 0.35) * 1.1
      let rise = 0.25 + 0.75 * open
      let b = a + SIMD2(side * turn * length * 0.8, -length * 0.55 * rise + (1 - open) * 0.3)
      let c = b + SIMD2(side * turn * length * 0.55, -length * 0.55 * rise)
      painting.stroke(from: a, to: b, Brush(color: dark, half: 0.04, opacity: 0.9))
      painting.stroke(from: b, to: c, Brush(color: dark, half: 0.025, opacity: 0.7))
    }
  }

  /// The colour of an eyeball at `p`, `lid` below the upper lid, where the lids' arch has the height `corner`.
  private func ball(of eye: Eye, at p: Point, lid: Float, corner: Float, pixel: Float) -> Color {
    let (x, y, gaze) = (p.x, p.y, eye.gaze)
    let (dx, dy) = (x - gaze.x, y + 0.14 - gaze.y)
    let r = (dx * dx + dy * dy).squareRoot()
    // The white is grey towards the corners, in the upper lid's shade.
    let round = 1 - 0.10 * (x * x + 1.4 * y * y)
    var color = Color(0.80, 0.765, 0.735) * (0.42 + 0.58 * Portable.clamp(round))
    color = color * Portable.mix(Color(0.80, 0.58, 0.54), Color(1, 1, 1), Portable.clamp(corner * 2.2))
    let radius: Float = 0.90
    if r < radius + pixel {
      let s = r / radius
      let angle = dx / max(r, 0.01)
      let fibre = 0.75 + 0.5 * Scatter.noise(angle * 7 + (dy > 0 ? 40 : 0), s * 2.5, 12)
      // Light gathers on the side away from the lamp.
      let glow = Portable.clamp(0.5 + 0.65 * (dy - dx * light.key.x * 0.6) / radius)
      var iris = who.iris * (0.42 + 1.15 * glow * glow) * fibre
      iris += who.iris * Color(1.25, 0.85, 0.35) * Portable.bell(s - 0.48, 0.13, 0, 1) * 0.7
      iris *= 1 - 0.80 * Portable.smooth(0.78, 1.0, s)
      iris = Portable.mix(Color(0.006, 0.005, 0.005), iris, Portable.smooth(0.40, 0.47, s))
      color = Portable.mix(color, iris, Portable.clamp((radius - r) / pixel + 0.5))
    }
    color *= 1 - 0.62 * Portable.smooth(0.62, 0, lid)
    // Reflections: the window, and a faint one opposite.
    let (wx, wy) = (x - gaze.x * 0.8 + 0.30, y + 0.14 - gaze.y * 0.8 + 0.30)
    let (wx2, wy2) = (wx * wx / 0.041, wy * wy / 0.055)
    let window = Portable.clamp((1 - (wx2 * wx2 + wy2 * wy2).squareRoot()) * 0.10 / pixel + 0.5)
    color = Portable.mix(color, Color(1.9, 1.95, 2.0), window * 0.95)
    color += Color(0.42, 0.36, 0.30) * Portable.bell(wx - 0.66, 0.16, wy - 0.62, 0.13)
    color += Color(0.25, 0.25, 0.27) * Portable.bell(x - eye.side * 1.35, 0.08, y - 0.18, 0.08)
    return color
  }

  /// The mouth, `open` from 0 to 1, `wide` from −1 (o) to 1 (e).
  func paintMouth(on painting: inout Painting, open: Float, wide: Float, smile: Float) {
    let half = 2.45 + 0.28 * wide - 0.10 * open
    let pixel = 1 / painting.scale
    for row in 2..<painting.height - 2 {
      let y = painting.y(row)
      for column in 2..<painting.width - 2 {
        let x = painting.x(column)
        let s = x / half
        guard abs(s) < 1.12 else { continue }
        let i = row * painting.width + column
        let fall = max(1 - s * s, 0)
        let root = fall.squareRoot()
        let middle = 7.35 - smile * 0.55 * s * s + 0.07 * Portable.bell(s, 0.22, 0, 1) - 0.05
        let bow = 0.15 * (Portable.bell(abs(s) - 0.20, 0.14, 0, 1) - 0.6 * Portable.bell(s, 0.10, 0, 1))
        let lowerTop = middle + 1.40 * open * root * (0.35 + 0.65 * fall)
        let lips = Lips(
          upperTop: middle - (0.50 * fall + 0.10 * root) - bow * fall - 0.10 * open * fall,
          upperEnd: middle - 0.16 * open * fall, lowerTop: lowerTop,
          lowerEnd: lowerTop + 0.78 * root * (0.30 + 0.70 * fall) + 0.02)
        guard y > lips.upperTop - 0.65 && y < lips.lowerEnd + 0.65 else { continue }
        let ends = Portable.clamp((1.0 - abs(s)) * half / pixel + 0.5)
        // A little shade around the lips connects them with the skin.
        let out = max(lips.upperTop - y, y - lips.lowerEnd)
        let seat = Portable.bell(max(out, 0), 0.22, max(abs(s) - 0.9, 0), 0.10) * 0.30
        painting.lay(who.skin * Color(0.36, 0.15, 0.12), seat, at: i)
        if y > lips.upperTop - pixel && y < lips.lowerEnd + pixel {
          let coverage = Portable.clamp(min(y - lips.upperTop, lips.lowerEnd - y) / pixel + 0.5) * ends
          if coverage > 0 { painting.lay(color(of: lips, x, y, s), coverage, at: i) }
        }
        let gap = min(y - lips.upperEnd, lips.lowerTop - y)
        let inside = Portable.clamp(gap / pixel + 0.5) * ends * Portable.smooth(0.02, 0.10, open)
        if inside > 0 { painting.lay(cavity(behind: lips, x, y, pixel: pixel), inside, at: i) }
        // The line where the lips meet, and the corners.
        let crease = Portable.bell(y - lips.upperEnd, 0.06 + 0.03 * fall, 0, 1) * Portable.smooth(1.06, 0.92, abs(s))
        painting.lay(who.lips * Color(0.16, 0.10, 0.10), crease * 0.75, at: i)
        let corner = Portable.bell(abs(s) - 1.0, 0.055, y - middle, 0.13)
        painting.lay(who.skin * Color(0.22, 0.10, 0.09), corner * 0.6, at: i)
      }
    }
  }

  private func color(of lips: Lips, _ x: Float, _ y: Float, _ s: Float) -> Color {
    let isUpper = y < (lips.upperEnd + lips.lowerTop) / 2
    let (top, end) = isUpper ? (lips.upperTop, lips.upperEnd) : (lips.lowerTop, lips.lowerEnd)
    let across = Portable.clamp((y - top) / max(end - top, 0.05))
    // The upper lip faces down, the lower one up and then down.
    let ny = isUpper ? 0.10 + 0.55 * across : -0.75 + 1.35 * across
    let n = Light.unit(s * 0.45, ny, 0.75)
    let lines = 1 + 0.07 * Scatter.noise(x * 7, y * 1.2, 14)
    var color = light.shade(
      who.lips * lines, n, open: 0.95, .init(wrap: Color(0.45, 0.3, 0.3), gloss: 0.05, tightness: 4, rim: 0.3))
    if !isUpper {
      color += Color(0.30, 0.26, 0.25) * Portable.bell(across - 0.34, 0.16, s + 0.14, 0.42) * (0.8 + 0.2 * lines)
    }
    return color
  }

  private func cavity(behind lips: Lips, _ x: Float, _ y: Float, pixel: Float) -> Color {
    let (top, end) = (lips.upperEnd, lips.lowerTop)
    var color = Color(0.055, 0.012, 0.012)
    let tongue = Portable.bell(x, 1.5, y - end - 0.15, 0.62)
    color += Color(0.34, 0.085, 0.075) * tongue * 0.8
    let bite = top + 0.46 + 0.03 * abs(x) - 0.09 * x * x * 0.4
    let teeth = Portable.clamp((bite - y) / pixel + 0.5) * Portable.smooth(1.85, 1.5, abs(x))
    let between = 1 - 0.10 * Portable.bell(abs(x).truncatingRemainder(dividingBy: 0.56) - 0.28, 0.05, 0, 1)
    let shaded = Portable.smooth(-0.05, 0.28, y - top) * (1 - 0.12 * x * x)
    return Portable.mix(color, Color(0.78, 0.74, 0.68) * between * (0.30 + 0.55 * shaded), teeth)
  }
}
