/// Paints a sunny park, far out of focus and out of the depth sensor's reach.
struct GardenPainter {
  let seed: UInt64

  func paint(on painting: inout Painting) {
    for row in 0..<painting.height {
      for column in 0..<painting.width {
        let x = painting.x(column)
        let y = painting.y(row)
        let i = row * painting.width + column
        let up = Portable.clamp((80 - y) / 440)
        var color = Portable.mix(Color(1.55, 1.50, 1.30), Color(0.62, 0.92, 1.35), up)
        let hill = Portable.smooth(-6, 6, y + 5 + 26 * Portable.sin(x * 0.006 + 1) + 9 * Portable.sin(x * 0.019))
        color = Portable.mix(color, Color(0.36, 0.50, 0.50), hill)
        let wood = Portable.smooth(
          -8, 8, y - 48 + 24 * Scatter.noise(x * 0.012, 1, 41) + 12 * Scatter.noise(x * 0.05, 2, 42))
        color = Portable.mix(color, Color(0.13, 0.25, 0.09) * (1 + 0.4 * Scatter.noise(x * 0.03, y * 0.05, 43)), wood)
        let lawn = Portable.smooth(110, 128, y)
        let stripe = 1 + 0.25 * Scatter.noise(x * 0.006, y * 0.05, 44)
        color = Portable.mix(color, Color(0.33, 0.50, 0.11) * stripe * (1.15 - 0.001 * y), lawn)
        let path = Portable.smooth(1, 0.9, abs(x - 200 - (y - 120) * 0.9) / (20 + 0.5 * max(y - 110, 0))) * lawn
        color = Portable.mix(color, Color(0.72, 0.62, 0.46), path)
        painting.pixels[i] = SIMD4(color, 1)
        painting.relief[i] = .nan
        painting.reflectance[i] = 0
      }
    }
    paintTrees(on: &painting)
    paintSparkle(on: &painting)
  }

  private func paintTrees(on painting: inout Painting) {
    var random = Scatter(seed, 70)
    for (x, base, tall, wide) in [
      (-520, 190, 560, 240), (470, 160, 440, 200), (-270, 130, 250, 110), (250, 128, 210, 90),
    ] as [(Float, Float, Float, Float)] {
      painting.fill((x - 20, base - tall * 0.6, x + 20, base), relief: .nan, reflectance: 0) { px, py in
        (
          Color(0.10, 0.065, 0.040),
          Portable.clamp((wide * 0.06 - abs(px - x - 6 * Portable.sin(py * 0.02))) * 0.5 + 0.5)
        )
      }
      for _ in 0..<150 {
        let a = random.next(0, 6.283)
        let r = random.next().squareRoot()
        let cx = x + Portable.cos(a) * r * wide
        let cy = base - tall * 0.68 + Portable.sin(a) * r * tall * 0.36
        let size = random.next(10, 30)
        let lit = Portable.clamp(0.5 - 0.5 * (cx - x) / wide - 0.5 * (cy - base + tall * 0.68) / (tall * 0.36))
        let color = Portable.mix(Color(0.045, 0.11, 0.03), Color(0.40, 0.58, 0.13), lit * random.next(0.4, 1))
        painting.fill((cx - size, cy - size, cx + size, cy + size), relief: .nan, reflectance: 0) { px, py in
          let d = ((px - cx) * (px - cx) + (py - cy) * (py - cy)).squareRoot() / size
          return (color, Portable.clamp((1 - d) * 3) * 0.9)
        }
      }
    }
  }

  /// Paints the sun between leaves as points, which the lens spreads to discs.
  private func paintSparkle(on painting: inout Painting) {
    var random = Scatter(seed, 71)
    for _ in 0..<70 {
      let left = random.next() < 0.6
      let x = (left ? -480 : 470) + random.signed() * 190
      let y = random.next(-330, 60)
      let bright = random.next(2, 9)
      painting.fill((x - 3, y - 3, x + 3, y + 3), relief: .nan, reflectance: 0) { _, _ in
        (Color(1.0, 0.95, 0.62) * bright, 0.8)
      }
    }
  }
}
