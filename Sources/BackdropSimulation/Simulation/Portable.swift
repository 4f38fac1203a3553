/// Elementary functions made only of +, −, ×, ÷ and square roots.
///
/// The results of the C library's functions differ in the last bit between CPUs; those of a simulated frame must not.
enum Portable {
  /// e to the power of `x`; relative error below 1e-6, 0 below −80.
  @inline(__always) static func exp(_ x: Float) -> Float {
    guard x > -80 else { return 0 }
    let scaled = min(x, 80) * 1.442_695_04
    let whole = Int32(scaled < 0 ? scaled - 0.5 : scaled + 0.5)
    let f = (scaled - Float(whole)) * 0.693_147_18
    let series = 1 + f * (1 + f * (0.5 + f * (0.166_666_67 + f * (0.041_666_67 + f * 0.008_333_33))))
    return series * Float(bitPattern: UInt32(whole + 127) << 23)
  }

  /// The sine of `x` radians; error below 1e-7 for |x| < 1e6.
  static func sin(_ x: Double) -> Double {
    var turn = x * 0.159_154_943_091_895_34
    turn -= turn.rounded(.down)
    // sin(2π·turn) from the nearest quarter turns.
    var r = turn
    if r > 0.75 { r -= 1 } else if r > 0.25 { r = 0.5 - r }
    let a = r * 6.283_185_307_179_586
    let s = a * a
    return a * (1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110 * (1 - s / 156))))))
  }

  @inline(__always) static func sin(_ x: Float) -> Float { Float(sin(Double(x))) }
  @inline(__always) static func cos(_ x: Float) -> Float { Float(sin(Double(x) + 1.570_796_326_794_896_6)) }
  static func cos(_ x: Double) -> Double { sin(x + 1.570_796_326_794_896_6) }

  /// `x` to the power of 5/12, for sRGB, with `x` in 0…1.
  static func sRGBPower(_ x: Double) -> Double {
    guard x > 0 else { return 0 }
    // Newton's method for y³ = x, from above; x^(5/12) = x^(1/3) · x^(1/12).
    var y = 1.0
    for _ in 0..<40 { y = (2 * y + x / (y * y)) / 3 }
    return y * y.squareRoot().squareRoot()
  }

  /// The bell of a normal distribution, 1 in the middle, over an ellipse about (`x`, `y`) with radii `rx`, `ry`.
  @inline(__always) static func bell(_ x: Float, _ rx: Float, _ y: Float, _ ry: Float) -> Float {
    let (a, b) = (x / rx, y / ry)
    let s = a * a + b * b
    return s > 9 ? 0 : exp(-s)
  }
  /// 0 below `low`, 1 above `high`, smooth between; `low` may be larger.
  @inline(__always) static func smooth(_ low: Float, _ high: Float, _ x: Float) -> Float {
    let t = clamp((x - low) / (high - low))
    return t * t * (3 - 2 * t)
  }
  @inline(__always) static func clamp(_ x: Float) -> Float { min(max(x, 0), 1) }
  @inline(__always) static func mix(_ a: Float, _ b: Float, _ t: Float) -> Float { a + (b - a) * t }
  @inline(__always) static func mix(_ a: SIMD3<Float>, _ b: SIMD3<Float>, _ t: Float) -> SIMD3<Float> {
    a + (b - a) * t
  }
}

/// Numbers that depend only on a seed and a position.
struct Scatter {
  private var state: UInt64

  init(_ seed: UInt64, _ stream: UInt64 = 0) { state = seed &* 0x9E37_79B9_7F4A_7C15 ^ stream &* 0xD1B5_4A32_D192_ED03 }

  /// The next number in 0..<1.
  mutating func next() -> Float {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Float(Scatter.mixed(state) >> 40) * 0x1p-24
  }

  /// The next number in −1..<1.
  mutating func signed() -> Float { next() * 2 - 1 }

  mutating func next(_ low: Float, _ high: Float) -> Float { low + (high - low) * next() }

  /// A number in 0..<1 for a position in a sequence, without stepping through earlier ones.
  static func at(_ seed: UInt64, _ stream: UInt64, _ index: Int) -> Double {
    let key =
      seed &* 0x9E37_79B9_7F4A_7C15 ^ stream &* 0xD1B5_4A32_D192_ED03 ^ UInt64(bitPattern: Int64(index))
      &* 0xA24B_AED4_963E_E407
    return Double(mixed(mixed(key)) >> 11) * 0x1p-53
  }

  private static func mixed(_ seed: UInt64) -> UInt64 {
    var z = seed
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Smooth noise in −1…1 with features about 1 unit wide.
  static func noise(_ x: Float, _ y: Float, _ seed: UInt32 = 0) -> Float {
    let (fx, fy) = (x.rounded(.down), y.rounded(.down))
    let (ix, iy) = (Int32(fx), Int32(fy))
    let (u, v) = (x - fx, y - fy)
    let a = u * u * (3 - 2 * u)
    let b = v * v * (3 - 2 * v)
    let top = corner(ix, iy, seed) + (corner(ix &+ 1, iy, seed) - corner(ix, iy, seed)) * a
    let bottom = corner(ix, iy &+ 1, seed) + (corner(ix &+ 1, iy &+ 1, seed) - corner(ix, iy &+ 1, seed)) * a
    return top + (bottom - top) * b
  }

  private static func corner(_ x: Int32, _ y: Int32, _ seed: UInt32) -> Float {
    var h = UInt32(bitPattern: x) &* 0x9E37_79B9 ^ UInt32(bitPattern: y) &* 0x85EB_CA6B ^ seed &* 0xC2B2_AE35
    h ^= h >> 16
    h = h &* 0x7FEB_352D
    h ^= h >> 15
    h = h &* 0x846C_A68B
    h ^= h >> 16
    return Float(h >> 8) * 0x1p-23 - 1
  }
}

/// A smooth function of one variable through points, without overshoot (Fritsch and Carlson, 1980).
struct Curve {
  private let x, y, slope: [Float]

  init(_ points: [(Float, Float)]) {
    (x, y) = (points.map(\.0), points.map(\.1))
    let secants = zip(points, points.dropFirst()).map { from, to -> Float in (to.1 - from.1) / (to.0 - from.0) }
    let inner = zip(secants, secants.dropFirst()).map { (a: Float, b: Float) -> Float in
      let product = a * b
      return product <= 0 ? 0 : 2 * product / (a + b)
    }
    slope = [secants[0]] + inner + [secants[secants.count - 1]]
  }

  /// The value at `t`, constant outside the points.
  func callAsFunction(_ t: Float) -> Float {
    if t <= x[0] { return y[0] }
    if t >= x[x.count - 1] { return y[x.count - 1] }
    var i = 0
    while t > x[i + 1] { i += 1 }
    let h = x[i + 1] - x[i]
    let s = (t - x[i]) / h
    let r = 1 - s
    return y[i] * (1 + 2 * s) * r * r + slope[i] * h * s * r * r + y[i + 1] * s * s * (3 - 2 * s) - slope[i + 1] * h * s
      * s * r
  }
}
