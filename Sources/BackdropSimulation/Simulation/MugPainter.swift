/// Paints a hand that holds a mug towards the camera. Units are centimetres at the mug.
struct MugPainter {
  let who: Persona
  let light: Light

  /// Metres from the camera to the mug's middle.
  static let distance: Float = 0.43

  private struct Limb {
    var a, b: Point
    var za, zb, ra, rb: Float
    var material: Material
  }
  private enum Material { case glaze, skin, sleeve, cuff }

  /// The sculpted surface, for each pixel: its height, -100 where there is nothing; the distance to its edge, negative outside; its
  /// material.
  private struct Surface {
    var relief: [Float]
    var edge: [Float]
    var material: [Material]
  }

  private var limbs: [Limb] {
    var all = [
      // Sleeve, cuff, wrist, back of the hand.
      Limb(a: SIMD2(15.4, 11.0), b: SIMD2(25, 27), za: -3.2, zb: -6, ra: 4.0, rb: 5.4, material: .sleeve),
      Limb(a: SIMD2(14.3, 9.2), b: SIMD2(15.1, 10.6), za: -2.9, zb: -3.1, ra: 3.75, rb: 3.9, material: .cuff),
      Limb(a: SIMD2(11.6, 4.6), b: SIMD2(14.8, 10), za: -1.6, zb: -2.8, ra: 2.6, rb: 2.75, material: .skin),
      Limb(a: SIMD2(9.6, -1.2), b: SIMD2(11.2, 3.6), za: -1.3, zb: -1.5, ra: 2.7, rb: 2.9, material: .skin),
    ]
    // The fingers go through the handle, with the knuckles towards the camera.
    for finger in 0..<4 {
      let y = -2.45 + 1.58 * Float(finger)
      let long: Float = finger == 3 ? 0.5 : finger == 1 ? -0.25 : 0
      let knuckle = Point(6.2 + long, y)
      all += [
        Limb(a: [9.3, y * 1.05 + 0.2], b: knuckle, za: 0.8, zb: 1.15, ra: 1.02, rb: 0.90, material: .skin),
        Limb(a: knuckle, b: [5.15 + long, y + 0.12], za: 1.15, zb: 0.1, ra: 0.90, rb: 0.74, material: .skin),
      ]
    }
    return all + [
      Limb(a: [9.9, -2.4], b: [7.3, -4.3], za: 0.2, zb: 0.7, ra: 1.25, rb: 1.0, material: .skin),
      Limb(a: [7.3, -4.3], b: [4.9, -4.05], za: 0.7, zb: 0.9, ra: 1.0, rb: 0.78, material: .skin),
    ]
  }

  static func canvas(scale: Float) -> Painting { Painting(left: -6, top: -8, right: 27, bottom: 26, scale: scale) }

  func paint(on painting: inout Painting) {
    let (width, height) = (painting.width, painting.height)
    let count = width * height
    var surface = Surface(
      relief: Array(repeating: -100, count: count), edge: Array(repeating: -1, count: count),
      material: Array(repeating: .glaze, count: count))
    sculptMug(painting, on: &surface)
    for limb in limbs { sculpt(limb, painting, on: &surface) }
    let (relief, edge, material) = (surface.relief, surface.edge, surface.material)
    let half = painting.scale * 0.5
    for y in 2..<height - 2 {
      for x in 2..<width - 2 {
        let i = y * width + x
        guard edge[i] > -0.6 / painting.scale else { continue }
        let n = Light.unit(slope(relief, i, 1) * half, slope(relief, i, width) * half, 1)
        var hollow: Float = 0
        for (dx, dy) in [(-9, -7), (-5, -8), (8, -6), (0, -12), (-12, 0), (7, 7)] {
          let j = i + dy * max(1, Int(painting.scale / 14)) * width + dx * max(1, Int(painting.scale / 14))
          if j > 0 && j < count && relief[j] > -50 {
            hollow = max(hollow, (relief[j] - relief[i] - 0.5) * 0.35)
          }
        }
        let (color, reflectance) = shade(
          of: material[i], painting.x(x), painting.y(y), normal: n, open: 1 - min(hollow, 0.55))
        painting.lay(color, painting.edge(edge[i]), relief: relief[i], reflectance: reflectance, at: i)
      }
    }
    paintRim(on: &painting)
  }

  /// The difference across a pixel, ignoring missing values.
  private func slope(_ relief: [Float], _ i: Int, _ step: Int) -> Float {
    let (a, b) = (relief[i - step], relief[i + step])
    guard a > -50 && b > -50 else { return a > -50 ? 2 * (a - relief[i]) : b > -50 ? 2 * (relief[i] - b) : 0 }
    return min(max(a - b, -1.5), 1.5)
  }

  private func sculptMug(_ painting: Painting, on surface: inout Surface) {
    for row in painting.rows(-6, 6) {
      let y = painting.y(row)
      for column in painting.columns(-5, 9) {
        let x = painting.x(column)
        let i = row * painting.width + column
        // The handle: half a ring.
        let u = (x - 4.2) / 3.1
        let v = y / 3.15
        let ring = ((u * u + v * v).squareRoot() - 1) * 3.1
        if abs(ring) < 0.62 && x > 3.6 {
          surface.relief[i] = -0.3 + (0.385 - ring * ring).squareRoot()
          surface.edge[i] = 0.62 - abs(ring)
        }
        let r: Float = 4.1 - 0.22 * Portable.smooth(3.2, 4.9, y) * Portable.smooth(3.2, 4.9, y)
        let bow = 0.52 * max(1 - x * x / (r * r), 0).squareRoot()
        let inside = min(r - abs(x), y + 4.6 + bow, 4.6 + bow - y)
        if inside > surface.edge[i] && abs(x) < r {
          surface.relief[i] = (r * r - x * x).squareRoot() - 0.10 * Portable.smooth(0.5, 0, inside)
          surface.edge[i] = inside
        }
      }
    }
  }

  private func sculpt(_ limb: Limb, _ painting: Painting, on surface: inout Surface) {
    let reach = max(limb.ra, limb.rb)
    let along = limb.b - limb.a
    let square = along.x * along.x + along.y * along.y
    for row in painting.rows(min(limb.a.y, limb.b.y) - reach, max(limb.a.y, limb.b.y) + reach) {
      for column in painting.columns(min(limb.a.x, limb.b.x) - reach, max(limb.a.x, limb.b.x) + reach) {
        let p = SIMD2(painting.x(column), painting.y(row)) - limb.a
        let t = Portable.clamp((p.x * along.x + p.y * along.y) / square)
        let d = p - along * t
        let distance = (d.x * d.x + d.y * d.y).squareRoot()
        let r = limb.ra + (limb.rb - limb.ra) * t
        guard distance < r + 0.1 else { continue }
        let i = row * painting.width + column
        // The rim slopes down, so that it makes no step against its surroundings.
        let round =
          max(r * r - distance * distance, 0).squareRoot() * 0.92 - 1.3 * r * Portable.smooth(0.84, 1.02, distance / r)
        let z = limb.za + (limb.zb - limb.za) * t + round
        if limb.material == .skin && surface.material[i] == .skin && surface.relief[i] > -50 {
          // Parts of the hand blend softly into each other.
          let h = Portable.clamp(0.5 + 0.5 * (z - surface.relief[i]) / 0.35)
          surface.relief[i] = Portable.mix(surface.relief[i], z, h) + 0.35 * h * (1 - h)
        } else if z > surface.relief[i] {
          surface.relief[i] = z
          surface.material[i] = limb.material
        }
        surface.edge[i] = max(surface.edge[i], r - distance)
      }
    }
  }

  /// The colour of a material in the light, and its infrared reflectance.
  private func shade(
    of material: Material, _ x: Float, _ y: Float, normal n: SIMD3<Float>, open: Float
  ) -> (Color, UInt8) {
    let half = Light.unit(light.key.x, light.key.y, light.key.z + 1)
    switch material {
    case .glaze:
      let foot = Portable.smooth(2.55, 2.62, y + 0.16 * Portable.sin(x * 1.4) + 0.1 * Scatter.noise(x * 2, 0, 90))
      let speckle = Scatter.noise(x * 9, y * 9, 91) > 0.78 ? Float(0.75) : 1
      var albedo = Portable.mix(Color(0.74, 0.70, 0.62) * speckle, Color(0.46, 0.20, 0.11), foot)
      // A painted sun.
      let r = ((x + 0.6) * (x + 0.6) + (y + 0.6) * (y + 0.6)).squareRoot()
      let rays = Portable.smooth(0.0, 0.12, 0.5 - abs(fraction(angle(x + 0.6, y + 0.6) * 12) - 0.5) * 2)
      let sun = max(
        Portable.smooth(1.12, 1.06, r), rays * Portable.smooth(1.36, 1.42, r) * Portable.smooth(1.92, 1.86, r))
      albedo = Portable.mix(albedo, Color(0.80, 0.36, 0.05), sun)
      let color = light.shade(albedo, n, open: open, foot > 0.5 ? .cloth : .glaze)
      // The reflection of the lamp blinds the sensor.
      let mirror = Light.dot(n, half) > 0.945 && foot < 0.5
      return (color, mirror ? 0 : 200)
    case .skin:
      let red = 0.20 + 0.5 * Portable.bell(x - 6.3, 1.3, 0, 1)
      let albedo = who.skin * Color(1, 1 - 0.22 * red, 1 - 0.26 * red)
      return (light.shade(albedo, n, open: open, .skin), 215)
    case .sleeve, .cuff:
      let along = (x * 0.5 + y * 0.86)
      let rib = Portable.sin((x * 0.86 - y * 0.5) * (material == .cuff ? 7 : 11))
      let fold = Scatter.noise(along * 0.55, (x * 0.86 - y * 0.5) * 0.30, 92)
      let m = Light.unit(n.x + 0.08 * rib + 0.30 * fold, n.y + 0.22 * fold, n.z)
      return (light.shade(who.cloth * (1 + 0.10 * rib), m, open: open, .cloth), who.clothReflectance)
    }
  }

  /// Paints the open top: the far inner wall and the contents, then the lip.
  private func paintRim(on painting: inout Painting) {
    let scale = painting.scale
    painting.fill((-4.2, -5.4, 4.2, -3.8), relief: 1.5, reflectance: 150) { x, y in
      let u = x / 4.1
      let v = (y + 4.6) / 0.52
      let r = (u * u + v * v).squareRoot()
      let deep = Portable.smooth(0.25, -0.9, v)
      let wall = Color(0.50, 0.46, 0.40) * (0.35 + 0.65 * deep) * (0.75 + 0.25 * u)
      let lip = Portable.smooth(0.86, 0.93, r)
      let color = Portable.mix(wall, Color(0.98, 0.93, 0.83) * (0.80 - 0.20 * u), lip)
      return (color, Portable.clamp((1 - r) * 0.52 * scale + 0.5))
    }
  }

  private func fraction(_ x: Float) -> Float { x - x.rounded(.down) }

  /// The angle around a point, from 0 to 1, by the octants of a diamond, which is accurate enough for a drawing.
  private func angle(_ x: Float, _ y: Float) -> Float {
    let sum = max(abs(x) + abs(y), 0.001)
    let t = y / sum
    // Bends the diamond to a circle within one percent of a turn.
    let bent = t * (0.785 + 0.215 * abs(t)) * 0.25
    return x >= 0 ? bent : 0.5 - bent
  }
}
