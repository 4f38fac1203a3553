/// Linear light with the primaries of sRGB; 1 is white, and lamps and the sun are brighter.
typealias SceneryLight = SIMD3<Float>

extension SIMD3<Float> {
  /// The light of an sRGB colour written as `0xRRGGBB`.
  init(hex: UInt32) {
    self.init(
      Film.linear(Float(hex >> 16 & 255) / 255), Film.linear(Float(hex >> 8 & 255) / 255),
      Film.linear(Float(hex & 255) / 255))
  }
}

/// Colours at ascending positions, with smooth transitions.
struct Gradient {
  private let stops: [(at: Float, light: SceneryLight)]

  init(_ stops: [(Float, UInt32)]) {
    self.stops = stops.map { (at: $0.0, light: SceneryLight(hex: $0.1)) }
  }

  func at(_ position: Float) -> SceneryLight {
    guard let next = stops.firstIndex(where: { $0.at > position }) else { return stops[stops.count - 1].light }
    guard next > 0 else { return stops[0].light }
    let (a, b) = (stops[next - 1], stops[next])
    // Roots are close to perceptually even steps; transitions in linear light look too bright in the middle.
    let root = mix(a.light.squareRoot(), b.light.squareRoot(), smooth(a.at, b.at, position))
    return root * root
  }
}

/// Interpolates from `a` for a `t` of 0 to `b` for 1.
@inline(__always)
func mix(_ a: SceneryLight, _ b: SceneryLight, _ t: Float) -> SceneryLight { a + (b - a) * t }

/// Interpolates from `a` for a `t` of 0 to `b` for 1.
@inline(__always)
func mix(_ a: Float, _ b: Float, _ t: Float) -> Float { a + (b - a) * t }

/// `x` limited to 0…1.
@inline(__always)
func unit(_ x: Float) -> Float { min(max(x, 0), 1) }

/// 0 before `a`, 1 after `b`, and a smooth step between them.
@inline(__always)
func smooth(_ a: Float, _ b: Float, _ x: Float) -> Float {
  let t = unit((x - a) / (b - a))
  return t * t * (3 - 2 * t)
}
