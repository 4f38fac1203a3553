import BackdropImaging

/// A sprite in the making: linear light multiplied by coverage, with depth and infrared reflectance behind it.
///
/// Positions are in units of about a centimetre at the face, x to the right, y down, 0 between the eyes of whoever is
/// painted.
struct Painting {
  typealias Color = SIMD3<Float>

  let width, height: Int
  /// Pixels in a unit.
  let scale: Float
  /// The position of the left and top edge.
  let left, top: Float
  /// Red, green, blue, coverage.
  var pixels: [SIMD4<Float>]
  /// Units towards the camera, from a plane that the layer's owner chooses.
  var relief: [Float]
  /// 0 swallows the sensor's light, 255 sends it back.
  var reflectance: [UInt8]

  init(left: Float, top: Float, right: Float, bottom: Float, scale: Float) {
    // Two empty pixels all round let the sampler run over the edge.
    self.left = left - 2 / scale
    self.top = top - 2 / scale
    self.scale = scale
    width = Int(((right - left) * scale).rounded(.up)) + 4
    height = Int(((bottom - top) * scale).rounded(.up)) + 4
    pixels = .init(repeating: .zero, count: width * height)
    relief = .init(repeating: 0, count: width * height)
    reflectance = .init(repeating: 0, count: width * height)
  }

  @inline(__always) func x(_ column: Int) -> Float { left + (Float(column) + 0.5) / scale }
  @inline(__always) func y(_ row: Int) -> Float { top + (Float(row) + 0.5) / scale }

  /// Columns or rows inside the empty rim.
  func columns(_ from: Float, _ to: Float) -> Range<Int> {
    let low = min(max(Int((max(from - left, 0) * scale).rounded(.down)), 2), width - 2)
    return low..<max(low, min(Int(((to - left) * scale).rounded(.up)) + 1, width - 2))
  }
  func rows(_ from: Float, _ to: Float) -> Range<Int> {
    let low = min(max(Int(((from - top) * scale).rounded(.down)), 2), height - 2)
    return low..<max(low, min(Int(((to - top) * scale).rounded(.up)) + 1, height - 2))
  }

  /// Lays paint over a pixel.
  @inline(__always) mutating func lay(_ color: Color, _ coverage: Float, at index: Int) {
    pixels[index] = pixels[index] * (1 - coverage) + SIMD4(color * coverage, coverage)
  }

  /// Lays paint over a pixel that has depth of its own.
  @inline(__always) mutating func lay(
    _ color: Color, _ coverage: Float, relief z: Float, reflectance r: UInt8, at index: Int
  ) {
    lay(color, coverage, at: index)
    if coverage >= 0.5 || pixels[index].w < 0.5 {
      relief[index] = z
      reflectance[index] = r
    }
  }

  /// Multiplies the colour of a pixel, leaving its coverage.
  @inline(__always) mutating func tint(_ factor: Color, at index: Int) {
    pixels[index] *= SIMD4(factor, 1)
  }

  /// A soft round touch of colour on what is there already, such as rouge.
  mutating func dab(_ x0: Float, _ y0: Float, _ rx: Float, _ ry: Float, _ factor: Color, strength: Float = 1) {
    for row in rows(y0 - 2.5 * ry, y0 + 2.5 * ry) {
      for column in columns(x0 - 2.5 * rx, x0 + 2.5 * rx) {
        let amount = strength * Portable.bell(x(column) - x0, rx, y(row) - y0, ry)
        if amount > 0.002 { tint(Portable.mix(Color(1, 1, 1), factor, amount), at: row * width + column) }
      }
    }
  }

  /// Draws one piece of a line with round shading across; `half` is half its width in units.
  mutating func stroke(
    from a: SIMD2<Float>, to b: SIMD2<Float>, half: Float, color: Color, opacity: Float = 1, relief z: Float? = nil,
    reflectance r: UInt8 = 0
  ) {
    let along = b - a
    let length = (along.x * along.x + along.y * along.y).squareRoot()
    guard length > 0 else { return }
    let unit = along / length
    // Lines thinner than a pixel fade instead of breaking up.
    let halfPixels = max(half * scale, 0.5)
    let faint = opacity * min(1, half * scale * 2)
    let reach = half + 1 / scale
    for row in rows(min(a.y, b.y) - reach, max(a.y, b.y) + reach) {
      let dy = y(row) - a.y
      // In a row only what is near the line counts, for lines that are not too flat.
      let steep = abs(unit.y) > 0.2
      let middle = steep ? a.x + dy * unit.x / unit.y : 0
      let span = steep ? reach / abs(unit.y) : .infinity
      for column in columns(max(min(a.x, b.x) - reach, middle - span), min(max(a.x, b.x) + reach, middle + span)) {
        let dx = x(column) - a.x
        let t = dx * unit.x + dy * unit.y
        // Half open, so that the pieces of a line meet without overlapping.
        guard t >= 0 && t < length else { continue }
        let across = dx * unit.y - dy * unit.x
        let coverage = min(max(halfPixels + 0.5 - abs(across) * scale, 0), 1) * faint
        guard coverage > 0.004 else { continue }
        let index = row * width + column
        if let z { lay(color, coverage, relief: z, reflectance: r, at: index) } else { lay(color, coverage, at: index) }
      }
    }
  }

  /// Runs over the pixels of a box; the body gives paint and coverage there.
  @inline(__always) mutating func fill(
    _ x0: Float, _ y0: Float, _ x1: Float, _ y1: Float, relief z: Float = 0, reflectance r: UInt8 = 255,
    _ body: (Float, Float) -> (Color, Float)
  ) {
    for row in rows(y0, y1) {
      for column in columns(x0, x1) {
        let (color, coverage) = body(x(column), y(row))
        if coverage > 0.002 { lay(color, min(coverage, 1), relief: z, reflectance: r, at: row * width + column) }
      }
    }
  }

  /// Coverage for a distance in units, positive inside.
  @inline(__always) func edge(_ inside: Float) -> Float { Portable.clamp(inside * scale + 0.5) }
}
