/// Value noise: random numbers on a lattice with smooth transitions; the same seed always gives the same noise.
struct ValueNoise {
  let seed: UInt32

  /// A well mixed number for a lattice point: the final mixing steps of MurmurHash3.
  @inline(__always)
  func bits(_ i: Int32, _ j: Int32) -> UInt32 {
    var h = UInt32(bitPattern: i) &* 0x9E37_79B1 ^ UInt32(bitPattern: j) &* 0x85EB_CA77 ^ seed &* 0xC2B2_AE3D
    h = (h ^ h >> 16) &* 0x85EB_CA6B
    h = (h ^ h >> 13) &* 0xC2B2_AE35
    return h ^ h >> 16
  }

  /// A number in 0..<1 for a lattice point.
  @inline(__always)
  func uniform(_ i: Int, _ j: Int = 0) -> Float {
    Float(bits(Int32(truncatingIfNeeded: i), Int32(truncatingIfNeeded: j)) >> 8) * 0x1p-24
  }

  /// Noise in −1…1 on a line; wavelengths of about 2.
  func at(_ x: Float) -> Float {
    let (i, t) = Self.cell(x)
    return mix(uniform(i), uniform(i + 1), t) * 2 - 1
  }

  /// Noise in −1…1 in the plane; wavelengths of about 2.
  @inline(__always)
  func at(_ x: Float, _ y: Float) -> Float {
    let (i, s) = Self.cell(x)
    let (j, t) = Self.cell(y)
    return mix(
      mix(uniform(i, j), uniform(i + 1, j), s), mix(uniform(i, j + 1), uniform(i + 1, j + 1), s), t) * 2 - 1
  }

  /// Sum of `octaves`, each with twice the frequency and half the amplitude of the previous one, in −1…1.
  ///
  /// Octaves with less than about two pixels to a wavelength fade out; `step` is a pixel in the units of `x` and `y`.
  func fractal(_ x: Float, _ y: Float, octaves: Int, step: Float) -> Float {
    var (x, y, step, amplitude, sum, total) = (x, y, step, Float(1), Float(0), Float(0))
    for _ in 0..<octaves {
      let visible = 1 - smooth(0.4, 1.2, step)
      if visible > 0 { sum += amplitude * visible * at(x, y) }
      total += amplitude
      // Odd offsets prevent the octaves' lattices from meeting at the same points.
      (x, y, step, amplitude) = (x * 2 + 17.31, y * 2 + 9.73, step * 2, amplitude / 2)
    }
    return sum / total
  }

  /// Like the noise in the plane, but on a line.
  func fractal(_ x: Float, octaves: Int, step: Float, ridged: Bool = false) -> Float {
    var (x, step, amplitude, sum, total) = (x, step, Float(1), Float(0), Float(0))
    for _ in 0..<octaves {
      let visible = 1 - smooth(0.4, 1.2, step)
      // A ridge has sharp crests at the zeros of the noise; an invisible octave contributes its mean, not 0.
      let value = ridged ? mix(0.3, 1 - 2 * abs(at(x)), visible) : visible * at(x)
      sum += amplitude * value
      total += amplitude
      (x, step, amplitude) = (x * 2 + 17.31, step * 2, amplitude / 2)
    }
    return sum / total
  }

  @inline(__always)
  private static func cell(_ x: Float) -> (Int, Float) {
    // Truncating and stepping down takes a few instructions; rounding down is a library call on older processors.
    let whole = Int(x)
    let floor = x < Float(whole) ? whole - 1 : whole
    let t = x - Float(floor)
    return (floor, t * t * t * (t * (t * 6 - 15) + 10))
  }
}
