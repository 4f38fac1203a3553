/// Linear red, green and blue.
typealias Color = SIMD3<Float>
typealias Point = SIMD2<Float>

/// The style of a line: its colour, half of its width in units, and its opacity.
struct Brush {
  var color: Color
  var half: Float
  var opacity: Float = 1
}

/// The canvas of a sprite: linear light multiplied by coverage, with depth and infrared reflectance.
///
/// Positions are in units of about a centimetre at the face, x to the right, y down, 0 between the person's eyes.
struct Painting {
  typealias Bounds = (left: Float, top: Float, right: Float, bottom: Float)

  let width, height: Int
  /// Pixels per unit.
  let scale: Float
  let left, top: Float
  /// Red, green, blue, coverage.
  var pixels: [SIMD4<Float>]
  /// Units towards the camera, from the layer's base plane.
  var relief: [Float]
  /// The infrared reflectance: 0 absorbs the sensor's light, 255 reflects it.
  var reflectance: [UInt8]

  init(left: Float, top: Float, right: Float, bottom: Float, scale: Float) {
    // Two empty pixels on each side allow the sampler to cross the edge.
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

  @inline(__always) mutating func lay(_ color: Color, _ coverage: Float, at index: Int) {
    pixels[index] = pixels[index] * (1 - coverage) + SIMD4(color * coverage, coverage)
  }

  /// Lays paint over a pixel that has separate depth.
  @inline(__always) mutating func lay(
    _ color: Color, _ coverage: Float, relief z: Float, reflectance r: UInt8, at index: Int
  ) {
    lay(color, coverage, at: index)
    if coverage >= 0.5 || pixels[index].w < 0.5 {
      relief[index] = z
      reflectance[index] = r
    }
  }

  /// Multiplies the colour of a pixel, keeping its coverage.
  @inline(__always) mutating func tint(_ factor: Color, at index: Int) {
    pixels[index] *= SIMD4(factor, 1)
  }

  /// Adds a soft round touch of colour to existing paint, such as rouge.
  mutating func dab(_ center: Point, radii: Point, _ factor: Color, strength: Float) {
    for row in rows(center.y - 2.5 * radii.y, center.y + 2.5 * radii.y) {
      for column in columns(center.x - 2.5 * radii.x, center.x + 2.5 * radii.x) {
        let amount = strength * Portable.bell(x(column) - center.x, radii.x, y(row) - center.y, radii.y)
        if amount > 0.002 { tint(Portable.mix(Color(1, 1, 1), factor, amount), at: row * width + column) }
      }
    }
  }

  /// Draws one piece of a line with soft edges.
  mutating func stroke(from a: Point, to b: Point, _ brush: Brush, relief z: Float? = nil, reflectance r: UInt8 = 0) {
    let (color, half) = (brush.color, brush.half)
    let along = b - a
    let length = (along.x * along.x + along.y * along.y).squareRoot()
    guard length > 0 else { return }
    let unit = along / length
    // Lines thinner than a pixel fade instead of breaking up.
    let halfPixels = max(half * scale, 0.5)
    let faint = brush.opacity * min(1, half * scale * 2)
    let reach = half + 1 / scale
    for row in rows(min(a.y, b.y) - reach, max(a.y, b.y) + reach) {
      let dy = y(row) - a.y
      // For lines that are not too flat, only the pixels of a row near the line count.
      let steep = abs(unit.y) > 0.2
      let middle = steep ? a.x + dy * unit.x / unit.y : 0
      let span = steep ? reach / abs(unit.y) : .infinity
      for column in columns(max(min(a.x, b.x) - reach, middle - span), min(max(a.x, b.x) + reach, middle + span)) {
        let dx = x(column) - a.x
        let t = dx * unit.x + dy * unit.y
        // Half open, so that the pieces of a line meet without overlap.
        guard t >= 0 && t < length else { continue }
        let across = dx * unit.y - dy * unit.x
        let coverage = min(max(halfPixels + 0.5 - abs(across) * scale, 0), 1) * faint
        guard coverage > 0.004 else { continue }
        let index = row * width + column
        if let z { lay(color, coverage, relief: z, reflectance: r, at: index) } else { lay(color, coverage, at: index) }
      }
    }
  }

  /// Paints the pixels of a box; the body returns the colour and coverage at a position.
  @inline(__always) mutating func fill(
    _ bounds: Bounds, relief z: Float, reflectance r: UInt8 = 255, _ body: (Float, Float) -> (Color, Float)
  ) {
    for row in rows(bounds.top, bounds.bottom) {
      for column in columns(bounds.left, bounds.right) {
        let (color, coverage) = body(x(column), y(row))
        if coverage > 0.002 { lay(color, min(coverage, 1), relief: z, reflectance: r, at: row * width + column) }
      }
    }
  }

  /// The coverage for a distance to the edge in units, positive inside.
  @inline(__always) func edge(_ inside: Float) -> Float { Portable.clamp(inside * scale + 0.5) }

  /// The mean of a field of this size over a square, twice; the field is 0 outside.
  func blurred(_ field: [Float], radius units: Float) -> [Float] {
    let radius = Int(units * scale)
    var result = field
    var line = [Float](repeating: 0, count: max(width, height))
    let share = 1 / Float(2 * radius + 1)
    result.withUnsafeMutableBufferPointer { field in
      line.withUnsafeMutableBufferPointer { line in
        func smear(from start: Int, step: Int, count: Int) {
          for i in 0..<count { line[i] = field[start + i * step] }
          var sum: Float = 0
          for i in 0..<min(radius, count) { sum += line[i] }
          for i in 0..<count {
            if i + radius < count { sum += line[i + radius] }
            field[start + i * step] = sum * share
            if i >= radius { sum -= line[i - radius] }
          }
        }
        for _ in 0..<2 {
          for y in 0..<height { smear(from: y * width, step: 1, count: width) }
          for x in 0..<width { smear(from: x, step: width, count: height) }
        }
      }
    }
    return result
  }
}
