/// How far each sample of a frame is from the plate, in standard deviations of its noise.
struct PlateDifference {
  let width: Int, height: Int
  private let rows: PlatePlanes

  /// What a camera's noise and compression leave in any case, in levels².
  private static let leastVariance: Float = 9
  /// How dark a shadow may make the wall.
  private static let deepestShadow: Float = 0.7
  /// Levels that a shadow of all the light would count as: a shadow is likelier the fainter it is.
  private static let shadowCost: Float = 20

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    // Lower and upper bounds of three channels, for a row with an edge sample on each side.
    rows = PlatePlanes(width: width + 2, height: 1, planes: 9)
  }

  /// Writes squared distances to the colours of the plate round each sample.
  ///
  /// The plate's range over 3×3 samples is no distance, so that a camera which shakes by a sample, or a person's shade that
  /// moves an edge, changes nothing. The distance to the plate in a shadow, darker in all channels alike, counts if it is
  /// less.
  func squares(
    frame: [UnsafeMutablePointer<Float>], plate: [UnsafeMutablePointer<Float>], light: PlateLight,
    into target: UnsafeMutablePointer<Float>
  ) {
    for y in 0..<height {
      for channel in 0..<3 {
        let (gain, offset) = (light.gain[channel], light.offset[channel])
        let above = plate[channel] + max(0, y - 1) * width
        let middle = plate[channel] + y * width
        let below = plate[channel] + min(height - 1, y + 1) * width
        let (lower, upper, center) = (rows[3 * channel], rows[3 * channel + 1], rows[3 * channel + 2])
        for x in 0..<width {
          let (a, b, c) = (above[x], middle[x], below[x])
          lower[x + 1] = gain * min(a, min(b, c)) + offset
          upper[x + 1] = gain * max(a, max(b, c)) + offset
          center[x] = gain * b + offset
        }
        (lower[0], upper[0]) = (lower[1], upper[1])
        (lower[width + 1], upper[width + 1]) = (lower[width], upper[width])
      }
      row(frame: (frame[0] + y * width, frame[1] + y * width, frame[2] + y * width), target + y * width)
    }
  }

  private func row(
    frame: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>),
    _ target: UnsafeMutablePointer<Float>
  ) {
    let (lr, ur, cr) = (rows[0], rows[1], rows[2])
    let (lg, ug, cg) = (rows[3], rows[4], rows[5])
    let (lb, ub, cb) = (rows[6], rows[7], rows[8])
    // Eight samples at a time; the compiler does not see by itself that no plane overlaps another.
    let whole = width / 8 * 8
    for x in stride(from: 0, to: whole, by: 8) {
      let (r, g, b) = (Self.load(frame.0, x), Self.load(frame.1, x), Self.load(frame.2, x))
      let (meanR, meanG, meanB) = (Self.load(cr, x), Self.load(cg, x), Self.load(cb, x))
      let lowR = Self.lowest(lr, x), highR = Self.highest(ur, x)
      let lowG = Self.lowest(lg, x), highG = Self.highest(ug, x)
      let lowB = Self.lowest(lb, x), highB = Self.highest(ub, x)
      let plain = Self.square(r, lowR, highR) + Self.square(g, lowG, highG) + Self.square(b, lowB, highB)
      let product = r * meanR + g * meanG + b * meanB
      let norm = Self.larger(meanR * meanR + meanG * meanG + meanB * meanB, .one)
      let shade = Self.smaller(Self.larger(product / norm, Vector(repeating: Self.deepestShadow)), .one)
      let cost = Self.shadowCost * (1 - shade)
      let shaded =
        Self.square(r, shade * lowR, shade * highR) + Self.square(g, shade * lowG, shade * highG)
        + Self.square(b, shade * lowB, shade * highB) + cost * cost
      UnsafeMutableRawPointer(target + x).storeBytes(of: Self.smaller(plain, shaded), as: Vector.self)
    }
    for x in whole..<width {
      let (r, g, b) = (frame.0[x], frame.1[x], frame.2[x])
      let lowR = min(lr[x], min(lr[x + 1], lr[x + 2])), highR = max(ur[x], max(ur[x + 1], ur[x + 2]))
      let lowG = min(lg[x], min(lg[x + 1], lg[x + 2])), highG = max(ug[x], max(ug[x + 1], ug[x + 2]))
      let lowB = min(lb[x], min(lb[x + 1], lb[x + 2])), highB = max(ub[x], max(ub[x + 1], ub[x + 2]))
      let plain = Self.square(r, lowR, highR) + Self.square(g, lowG, highG) + Self.square(b, lowB, highB)
      let product = r * cr[x] + g * cg[x] + b * cb[x]
      let norm = max(cr[x] * cr[x] + cg[x] * cg[x] + cb[x] * cb[x], 1)
      let shade = min(max(product / norm, Self.deepestShadow), 1)
      let cost = Self.shadowCost * (1 - shade)
      let shaded =
        Self.square(r, shade * lowR, shade * highR) + Self.square(g, shade * lowG, shade * highG)
        + Self.square(b, shade * lowB, shade * highB) + cost * cost
      target[x] = min(plain, shaded)
    }
  }

  private static func square(_ value: Float, _ low: Float, _ high: Float) -> Float {
    let distance = max(0, max(value - high, low - value))
    return distance * distance
  }

  private typealias Vector = SIMD8<Float>

  private static func load(_ samples: UnsafeMutablePointer<Float>, _ x: Int) -> Vector {
    UnsafeRawPointer(samples + x).loadUnaligned(as: Vector.self)
  }

  private static func smaller(_ a: Vector, _ b: Vector) -> Vector { a.replacing(with: b, where: b .< a) }
  private static func larger(_ a: Vector, _ b: Vector) -> Vector { a.replacing(with: b, where: b .> a) }

  private static func lowest(_ samples: UnsafeMutablePointer<Float>, _ x: Int) -> Vector {
    smaller(load(samples, x), smaller(load(samples, x + 1), load(samples, x + 2)))
  }

  private static func highest(_ samples: UnsafeMutablePointer<Float>, _ x: Int) -> Vector {
    larger(load(samples, x), larger(load(samples, x + 1), load(samples, x + 2)))
  }

  private static func square(_ value: Vector, _ low: Vector, _ high: Vector) -> Vector {
    let distance = larger(larger(value - high, low - value), .zero)
    return distance * distance
  }

  /// Turns mean squares into standard deviations of the noise.
  func normalise(_ squares: UnsafeMutablePointer<Float>, variance: UnsafePointer<Float>) {
    for at in 0..<width * height {
      squares[at] = (max(0, squares[at]) / (variance[at] + Self.leastVariance)).squareRoot()
    }
  }
}
