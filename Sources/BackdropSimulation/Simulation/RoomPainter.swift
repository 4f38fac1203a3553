/// Paints a living room: window, curtains, shelf, plant, lamp, sofa.
struct RoomPainter {
  let seed: UInt64

  func paint(on painting: inout Painting) {
    paintWall(on: &painting)
    paintWindow(on: &painting)
    paintPictures(on: &painting)
    paintShelf(on: &painting)
    paintLamp(on: &painting)
    paintSofa(on: &painting)
    paintPlant(on: &painting)
    paintFairyLights(on: &painting)
    glow(on: &painting, x: 545, y: -165, radius: 330, Color(0.62, 0.33, 0.13))
    glow(on: &painting, x: -470, y: -150, radius: 420, Color(0.16, 0.19, 0.22))
  }

  /// Paints a box; the body returns the colour, including its light.
  private func box(
    on painting: inout Painting, _ bounds: Painting.Bounds, metres: Float, reflectance: UInt8 = 170,
    _ color: (Float, Float) -> Color
  ) {
    let scale = painting.scale
    let (x0, y0, x1, y1) = bounds
    painting.fill((x0 - 1, y0 - 1, x1 + 1, y1 + 1), relief: metres, reflectance: reflectance) { x, y in
      (color(x, y), Portable.clamp(min(min(x - x0, x1 - x), min(y - y0, y1 - y)) * scale + 0.5))
    }
  }

  private func paintWall(on painting: inout Painting) {
    let paint: Color =
      seed % 3 == 1 ? Color(0.235, 0.275, 0.262) : seed % 3 == 2 ? Color(0.29, 0.255, 0.225) : Color(0.21, 0.245, 0.30)
    for row in 0..<painting.height {
      for column in 0..<painting.width {
        let x = painting.x(column)
        let y = painting.y(row)
        let i = row * painting.width + column
        let day = 0.95 * Portable.exp(-max(x + 420, 0) / 520)
        let rough = 1 + 0.05 * Scatter.noise(x * 0.02, y * 0.02, 21) + 0.02 * Scatter.noise(x * 0.15, y * 0.15, 22)
        let shade = (0.42 + day) * (1 - 0.0005 * max(y, 0)) * rough
        painting.pixels[i] = SIMD4(paint * shade, 1)
        // The wall recedes to the left.
        painting.relief[i] = 2.72 - x * 0.00025
        painting.reflectance[i] = 180
      }
    }
  }

  private func paintWindow(on painting: inout Painting) {
    let (left, right, bottom): (Float, Float, Float) = (-600, -318, 95)
    // Outside: sky over trees.
    box(on: &painting, (left, -420, right, bottom), metres: 14, reflectance: 120) { x, y in
      let up = Portable.clamp((60 - y) / 400)
      let sky = Portable.mix(Color(1.9, 2.0, 2.05), Color(1.15, 1.55, 2.1), up)
      let leaves = Portable.smooth(
        -25, 35, y + 38 * Scatter.noise(x * 0.03, 3, 31) + 16 * Scatter.noise(x * 0.09, y * 0.09, 32))
      let green = Color(0.36, 0.58, 0.22) * (1 + 0.5 * Scatter.noise(x * 0.06, y * 0.06, 33))
      return Portable.mix(sky, green, leaves)
    }
    let frame = Color(0.78, 0.76, 0.72)
    for bar in [
      (left - 16, -420, left, bottom), (right, -420, right + 16, bottom), (left, bottom, right, bottom + 14),
      (-467, -420, -453, bottom), (left, -170, right, -158),
    ] as [Painting.Bounds] {
      box(on: &painting, bar, metres: 2.78) { x, _ in frame * (x > right ? 0.8 : 0.95) }
    }
    box(on: &painting, (left - 34, bottom + 12, right + 34, bottom + 30), metres: 2.66) { _, y in
      frame * Portable.mix(1.25, 0.6, (y - bottom - 12) / 18)
    }
    // Curtains with light shining through.
    for (x0, x1) in [(-700, -545), (-352, -236)] as [(Float, Float)] {
      box(on: &painting, (x0, -420, x1, 300), metres: 2.58, reflectance: 150) { x, y in
        let fold = Portable.sin(x * 0.135 + 0.8 * Portable.sin(y * 0.006 + x * 0.02)) + 0.4 * Portable.sin(x * 0.31 + 2)
        let through = Portable.smooth(90, 0, max(left - x, x - right))
        let cloth = Color(0.60, 0.545, 0.47) * (0.62 + 0.20 * fold + 0.42 * through)
        return cloth * (1 - 0.0006 * max(y, 0))
      }
    }
  }

  private func paintPictures(on painting: inout Painting) {
    // Most of each picture is beside the head.
    for (x0, y0, w, h, tone) in [
      (-195, -285, 108, 140, Color(0.55, 0.24, 0.11)), (168, -290, 88, 112, Color(0.10, 0.26, 0.32)),
    ] as [(Float, Float, Float, Float, Color)] {
      box(on: &painting, (x0 + 6, y0 + 8, x0 + w + 8, y0 + h + 10), metres: 2.71) { _, _ in Color(0.10, 0.11, 0.10) }
      box(on: &painting, (x0, y0, x0 + w, y0 + h), metres: 2.68) { _, _ in Color(0.16, 0.10, 0.055) }
      box(on: &painting, (x0 + 6, y0 + 6, x0 + w - 6, y0 + h - 6), metres: 2.685) { _, _ in Color(0.66, 0.63, 0.57) }
      box(on: &painting, (x0 + 20, y0 + 22, x0 + w - 20, y0 + h - 22), metres: 2.685) { x, y in
        let u = (x - x0) / w
        let v = (y - y0) / h
        let hill = Portable.smooth(0.02, -0.02, 0.55 + 0.12 * Portable.sin(u * 7 + 1) - v)
        let sun = Portable.smooth(0.17, 0.14, ((u - 0.62) * (u - 0.62) + (v - 0.36) * (v - 0.36) * 1.7).squareRoot())
        return Portable.mix(Portable.mix(Color(0.72, 0.60, 0.42), Color(0.85, 0.50, 0.18), sun), tone, hill)
      }
    }
  }

  private func paintShelf(on painting: inout Painting) {
    var random = Scatter(seed, 60)
    let (left, right): (Float, Float) = (292, 505)
    let wood = Color(0.30, 0.165, 0.080)
    box(on: &painting, (left - 12, -262, right + 12, 262), metres: 2.60) { x, y in
      Color(0.060, 0.050, 0.042) * (1.1 - 0.4 * (x - left) / 220)
    }
    let colors: [Color] = [
      [0.50, 0.13, 0.07], [0.055, 0.15, 0.22], [0.60, 0.42, 0.13], [0.62, 0.57, 0.48], [0.07, 0.16, 0.10],
      [0.36, 0.20, 0.12], [0.20, 0.09, 0.15], [0.16, 0.28, 0.30], [0.55, 0.28, 0.18],
    ]
    for shelf in 0..<4 {
      let floor = -142 + Float(shelf) * 130
      var x = left + 4
      let stop = right - (shelf == 1 ? 70 : shelf == 2 ? 0 : 40)
      while x < stop {
        let thick = random.next(11, 24)
        let tall = random.next(72, 104)
        let color = colors[Int(random.next() * Float(colors.count)) % colors.count] * random.next(0.7, 1.2)
        let lean = random.next() < 0.12 ? random.next(4, 10) : 0
        let end = min(x + thick, right - 4)
        box(
          on: &painting, (x + lean, floor - tall, end + lean * 0.5, floor), metres: 2.40 + random.next(0, 0.04),
          reflectance: 140
        ) { bx, by in
          let u = (bx - x) / thick
          let round = 0.72 + 0.42 * (1 - (2 * u - 0.8) * (2 * u - 0.8))
          let band =
            Portable.smooth(3, 1.5, abs(by - floor + tall * 0.78)) * 0.6 + Portable.smooth(
              3, 1.5, abs(by - floor + tall * 0.2)) * 0.4
          return Portable.mix(color, Color(0.70, 0.55, 0.25), band * 0.5) * round
        }
        x += thick + random.next(0.5, 2) + lean
      }
      if shelf == 1 {
        // A round vase.
        painting.fill((430, floor - 62, 500, floor), relief: 2.38, reflectance: 200) { x, y in
          let u = (x - 465) / 27
          let v = (y - floor + 28) / 29
          let neck = min(1 - abs(x - 465) / 9, (y - floor + 62) / 8)
          let inside = max(1 - (u * u + v * v).squareRoot(), neck * (y < floor - 40 ? 1 : 0))
          return (Color(0.66, 0.60, 0.54) * (0.75 - 0.40 * u - 0.15 * v), Portable.clamp(inside * 14 + 0.5))
        }
      }
      box(on: &painting, (left - 12, floor, right + 12, floor + 9), metres: 2.36) { _, y in
        wood * (y < floor + 3 ? 1.5 : 0.8)
      }
    }
    for x in [left - 12, right + 2] {
      box(on: &painting, (x, -272, x + 10, 290), metres: 2.36) { _, _ in wood * 0.95 }
    }
    box(on: &painting, (left - 14, -274, right + 14, -263), metres: 2.36) { _, _ in wood * 1.3 }
  }

  private func paintLamp(on painting: inout Painting) {
    let x0: Float = 574
    box(on: &painting, (x0 - 3, -120, x0 + 3, 330), metres: 2.2, reflectance: 25) { _, _ in Color(0.08, 0.065, 0.05) }
    let shade = Polygon(corners: [[x0 - 42, -245], [x0 + 42, -245], [x0 + 72, -112], [x0 - 72, -112]])
    painting.fill((x0 - 80, -250, x0 + 80, -105), relief: 2.15, reflectance: 190) { x, y in
      let u = (x - x0) / 70
      let v = (y + 178) / 66
      let light = 0.75 + 1.6 * Portable.bell(u, 0.8, v - 0.15, 0.9)
      return (Color(1.55, 0.98, 0.50) * light, Portable.clamp(shade.inside(SIMD2(x, y)) * 0.5 + 0.5))
    }
  }

  private func paintSofa(on painting: inout Painting) {
    let fabric = Color(0.235, 0.150, 0.105)
    for (x0, x1, y0) in [(-250, 40, 196), (44, 340, 200)] as [(Float, Float, Float)] {
      painting.fill((x0, y0 - 4, x1, 400), relief: 2.0, reflectance: 120) { x, y in
        let inside = min(min(x - x0, x1 - x), y - y0)
        let round = Portable.smooth(0, 46, inside)
        let top = Portable.smooth(70, 0, y - y0)
        let light = 0.55 + 0.45 * top + 0.35 * Portable.clamp((60 - x) / 900 + 0.3)
        let corner = max(26 - min(x - x0, x1 - x), 0)
        let cut = corner * corner / 52
        return (
          fabric * (light * (0.55 + 0.45 * round)) * (1 + 0.06 * Scatter.noise(x * 0.1, y * 0.1, 35)),
          Portable.clamp((inside - cut) * 0.4 + 0.5)
        )
      }
    }
    // A cushion.
    painting.fill((190, 150, 350, 330), relief: 1.92, reflectance: 170) { x, y in
      let u = ((x - 268) + 0.18 * (y - 236)) / 70
      let v = ((y - 236) - 0.18 * (x - 268)) / 66
      let r = (u * u * u * u + v * v * v * v).squareRoot().squareRoot()
      return (Color(0.66, 0.40, 0.085) * (0.72 - 0.22 * u - 0.28 * v), Portable.clamp((1 - r) * 26 + 0.5))
    }
  }

  private func paintPlant(on painting: inout Painting) {
    var random = Scatter(seed, 62)
    box(on: &painting, (-560, 268, -462, 420), metres: 1.86) { x, y in
      let u = (x + 511) / 49
      return Color(0.56, 0.50, 0.44) * (0.75 - 0.35 * u) * (y < 276 ? 1.3 : 1)
    }
    for leaf in 0..<46 {
      let angle = random.next(-2.75, -0.40)
      let length = random.next(70, 215)
      let root = Point(-511 + random.next(-22, 22), 272)
      let tip = root + SIMD2(Portable.cos(angle), Portable.sin(angle)) * length + SIMD2(0, length * length * 0.0011)
      let size = random.next(26, 46)
      let turn = angle + random.next(-0.4, 0.9)
      let axis = SIMD2(Portable.cos(turn), Portable.sin(turn))
      let metres = 1.80 + 0.0022 * Float(46 - leaf)
      let light = random.next(0.5, 1.25)
      let stem = Brush(color: Color(0.07, 0.13, 0.035), half: 1.6)
      painting.stroke(from: root, to: tip, stem, relief: metres, reflectance: 190)
      painting.fill(
        (tip.x - 2 * size, tip.y - 2 * size, tip.x + 2 * size, tip.y + 2 * size), relief: metres, reflectance: 205
      ) { x, y in
        let d = SIMD2(x, y) - tip
        let along = (d.x * axis.x + d.y * axis.y) / size
        let across = (d.x * axis.y - d.y * axis.x) / size
        let k = (along + 1) / 2.3
        guard k > 0 && k < 1 else { return (.zero, 0) }
        let half = 1.05 * k.squareRoot() * (1 - k) + 0.02
        let side: Float = across > 0 ? 1.12 : 0.82
        let rib = 1 + 0.35 * Portable.bell(across, 0.045, 0, 1)
        let color = Color(0.060, 0.185, 0.050) * (light * side * rib * (1.35 - 0.5 * k))
        return (color, Portable.clamp((half - abs(across)) * size * 0.5 + 0.5))
      }
    }
  }

  private func paintFairyLights(on painting: inout Painting) {
    var random = Scatter(seed, 63)
    for i in 0..<17 {
      let t = Float(i) / 16
      let x = 238 + 300 * t
      let y = -292 + 26 * Portable.sin(t * 9.4) * Portable.sin(t * 9.4) + random.next(-5, 5)
      let bright = random.next(5, 11)
      painting.fill((x - 3, y - 3, x + 3, y + 3), relief: 2.34) { px, py in
        let r = ((px - x) * (px - x) + (py - y) * (py - y)).squareRoot()
        return (Color(1.0, 0.60, 0.26) * bright, Portable.clamp((2.6 - r) * 0.7))
      }
    }
  }

  private func glow(on painting: inout Painting, x x0: Float, y y0: Float, radius: Float, _ color: Color) {
    for row in 0..<painting.height {
      for column in 0..<painting.width {
        let dx = (painting.x(column) - x0) / radius
        let dy = (painting.y(row) - y0) / radius
        let amount = 1 / (1 + 3.5 * (dx * dx + dy * dy))
        painting.pixels[row * painting.width + column] += SIMD4(color * (amount * amount), 0)
      }
    }
  }
}
