/// The lamps in the paintings. Directions point to the lamp: x right, y down, z to the camera.
struct Light: Sendable {
  var key = Light.unit(-0.62, -0.52, 0.62)
  var keyColor = Color(1.22, 1.10, 0.97)
  var fill = Light.unit(0.75, -0.05, 0.66)
  var fillColor = Color(0.15, 0.145, 0.165)
  var above = Color(0.27, 0.30, 0.36)
  var below = Color(0.17, 0.12, 0.10)
  var rim = Light.unit(0.93, -0.30, -0.18)
  var rimColor = Color(1.7, 1.05, 0.58)
  var coolRim = Light.unit(-0.95, -0.25, -0.15)
  var coolRimColor = Color(0.55, 0.68, 0.85)

  /// Overcast daylight with the sun behind.
  static let outdoors = Light(
    key: Light.unit(-0.35, -0.72, 0.60), keyColor: Color(1.30, 1.26, 1.20),
    fillColor: Color(0.24, 0.25, 0.24), above: Color(0.50, 0.56, 0.64), below: Color(0.26, 0.26, 0.19),
    rimColor: Color(2.6, 2.1, 1.35), coolRimColor: Color(0.9, 0.95, 0.9))

  static func unit(_ x: Float, _ y: Float, _ z: Float) -> SIMD3<Float> {
    SIMD3(x, y, z) / (x * x + y * y + z * z).squareRoot()
  }

  @inline(__always) static func dot(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Float { a.x * b.x + a.y * b.y + a.z * b.z }

  /// The reflection of light by a surface.
  struct Finish: Sendable {
    /// How far red, green and blue light spreads around the edge, which makes skin look alive.
    var wrap = Color(0.25, 0.25, 0.25)
    var gloss: Float = 0
    /// The highlight's sharpness is two to the power of this.
    var tightness = 4
    var rim: Float = 1

    static let skin = Finish(wrap: Color(0.52, 0.34, 0.27), gloss: 0.20, tightness: 4, rim: 0.8)
    static let cloth = Finish(wrap: Color(0.35, 0.35, 0.35), gloss: 0.03, tightness: 2, rim: 0.55)
    static let glaze = Finish(gloss: 0.8, tightness: 7, rim: 0.8)
  }

  /// The light from a surface to the camera. `open` is the visible part of the sky, `shadow` the blocked part of the
  /// key light.
  @inline(__always) func shade(
    _ albedo: Color, _ n: SIMD3<Float>, open: Float, shadow: Float = 0, _ finish: Finish
  ) -> Color {
    let lit = Light.wrapped(Light.dot(n, key), finish.wrap) * (Color(repeating: 1) - Color(0.62, 0.74, 0.78) * shadow)
    let filled = Light.wrapped(Light.dot(n, fill), finish.wrap)
    let up = 0.5 - 0.5 * n.y
    let ambient = (below + (above - below) * up) * open
    var light = keyColor * lit * (0.35 + 0.65 * open) + fillColor * filled * open + ambient
    // Grazing surfaces catch light from behind.
    let graze = 1 - max(n.z, 0)
    let back = graze * graze * finish.rim * open
    light += rimColor * (max(Light.dot(n, rim), 0) * back) + coolRimColor * (max(Light.dot(n, coolRim), 0) * back)
    var color = albedo * light
    if finish.gloss > 0 {
      let half = Light.unit(key.x, key.y, key.z + 1)
      var shine = max(Light.dot(n, half), 0)
      for _ in 0..<finish.tightness { shine *= shine }
      color += keyColor * (shine * finish.gloss * open * (1 - shadow))
    }
    return color
  }

  @inline(__always) private static func wrapped(_ cosine: Float, _ wrap: Color) -> Color {
    let raised = (Color(repeating: cosine) + wrap) / (wrap + 1)
    return raised.clamped(lowerBound: .zero, upperBound: Color(repeating: 1))
  }

  /// Converts scene light to display light in 0…1, by Narkowicz's fit of the ACES curve (2015).
  @inline(__always) static func tone(_ x: Color) -> Color {
    let c = x * 0.72
    let above: Color = c * (c * 2.51 + 0.03)
    let below: Color = c * (c * 2.43 + 0.59) + 0.14
    return (above / below).clamped(lowerBound: .zero, upperBound: Color(repeating: 1))
  }

  /// IEC 61966-2-1 code values in 0…1 for 4097 steps of display light.
  static let codes: [Float] = (0...4096).map { i in
    let v = Double(i) / 4096
    return Float(v <= 0.003_130_8 ? 12.92 * v : 1.055 * Portable.sRGBPower(v) - 0.055)
  }

  /// Converts display light to a code value, with ``codes``.
  @inline(__always) static func code(_ v: Float, _ codes: [Float]) -> Float {
    let at = min(max(v, 0), 1) * 4096
    let i = min(Int(at), 4095)
    return codes[i] + (codes[i + 1] - codes[i]) * (at - Float(i))
  }
}
