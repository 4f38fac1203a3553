import Libc

/// A brick-walled room in the evening with a wide window, lamps and a bookshelf, seen through a lens focused nearer.
///
/// The sharp scene is drawn small, with the real brightness of lamps; a disc blur then turns each lamp into a round
/// spot, as a lens does.
struct Loft: SceneryPainter {
  private let view: SceneryView
  private let room: LightBuffer
  private let columns: LightBuffer.Columns

  init(_ view: SceneryView) {
    self.view = view
    let scale: Float = 420
    let city = LoftCity(view, scale: scale).buffer.defocused(0.0215)
    var room = city.under(LoftRoom(view, scale: scale).buffer.defocused(0.0075))
    // Bright lamps cause a veil of light around them.
    for lamp in LoftRoom.lamps {
      let size = lamp.reach * 0.32
      room.change((lamp.u - 0.7, lamp.v - 0.7, lamp.u + 0.7, lamp.v + 0.7)) { cell, u, v in
        let far = ((u - lamp.u) * (u - lamp.u) + (v - lamp.v) * (v - lamp.v)) / (size * size)
        let fade = 1 / (1 + far)
        cell += LightBuffer.Cell(lamp.light * (0.22 * fade * (0.3 + fade)), 0)
      }
    }
    self.room = room
    columns = room.columns(of: view)
  }

  func paint(_ y: Int, into row: inout [SceneryLight]) {
    let v = view.v(y)
    let line = room.line(v)
    for x in 0..<row.count {
      let u = view.u(x)
      let (du, dv) = (u / max(view.halfWidth, 0.5), v - 0.45)
      row[x] = room.at(x, columns, in: line) * (1 - 0.38 * smooth(0.35, 1.5, du * du + dv * dv * 1.6))
    }
  }
}

/// The view through the window: the last daylight, and lit windows of houses.
private struct LoftCity {
  var buffer: LightBuffer

  init(_ view: SceneryView, scale: Float) {
    buffer = LightBuffer(view, scale: scale)
    let sky = Gradient([(0, 0x1C2C55), (0.3, 0x3F5586), (0.48, 0x8A86A6), (0.58, 0xE0A68F)])
    let noise = ValueNoise(seed: 51)
    buffer.fill((-3, 0, 3, 1), { _, v in sky.at(v) * 0.75 }) { _, _ in 1 }
    for (depth, hex) in [UInt32(0x56607E), 0x39456A, 0x1D2542].enumerated() {
      let color = SceneryLight(hex: hex) * 0.8
      var u: Float = -2.2 + 0.03 * Float(depth)
      var house = 0
      while u < 2.2 {
        let random = { (k: Int) in noise.uniform(house, depth * 16 + k) }
        let width = 0.05 + 0.07 * random(0)
        let top = 0.40 + 0.08 * Float(depth) - 0.16 * random(1) * random(1)
        let box = (u0: u, v0: top, u1: u + width, v1: Float(1))
        buffer.fill(box, { _, _ in color }) { u, v in
          min(u - box.u0, box.u1 - u, v - box.v0)
        }
        for k in 0..<(3 + depth * 2) where random(20 + k) > 0.35 {
          let at = (u: u + 0.008 + (width - 0.016) * random(40 + k), v: top + 0.012 + 0.24 * random(60 + k))
          let warm = mix(SceneryLight(1, 0.48, 0.15), SceneryLight(0.85, 0.85, 0.75), random(80 + k) * random(80 + k))
          let power = 8 + 60 * random(100 + k) * random(100 + k) * random(100 + k)
          buffer.fill((at.u - 0.01, at.v - 0.01, at.u + 0.01, at.v + 0.01), { _, _ in warm * power }) { u, v in
            0.0024 - max(abs(u - at.u), abs(v - at.v))
          }
        }
        u += width + 0.012 * random(2)
        house += 1
      }
    }
  }
}

/// The room of the loft, with transparent window panes.
private struct LoftRoom {
  var buffer: LightBuffer
  private let noise = ValueNoise(seed: 77)

  static let lamps: [(u: Float, v: Float, light: SceneryLight, reach: Float)] = [
    (0.06, 0.150, SceneryLight(1.0, 0.62, 0.30) * 1.5, 0.17), (0.225, 0.215, SceneryLight(1.0, 0.62, 0.30) * 1.5, 0.17),
    (-0.235, 0.425, SceneryLight(1.0, 0.60, 0.28) * 1.7, 0.20),
    (0.775, 0.405, SceneryLight(1.0, 0.58, 0.26) * 1.1, 0.10),
  ]

  init(_ view: SceneryView, scale: Float) {
    buffer = LightBuffer(view, scale: scale)
    wall()
    window(-0.83, -0.33)
    window(-1.62, -1.12)
    window(1.12, 1.62)
    shelf(0.40, 0.87)
    sideboard()
    floorLamp()
    pendants()
  }

  /// The light that falls on the room at a position, from the lamps and a little from the evening sky.
  private static func falling(_ u: Float, _ v: Float) -> SceneryLight {
    var sum = SceneryLight(0.16, 0.17, 0.22) + SceneryLight(0.10, 0.13, 0.20) * expf(-abs(u + 0.58) / 0.5)
    for lamp in lamps {
      let (du, dv) = (u - lamp.u, v - lamp.v)
      let near = (du * du + dv * dv) / (lamp.reach * lamp.reach)
      sum += lamp.light / (1 + near + 0.05 * near * near)
    }
    return sum
  }

  private mutating func box(_ bounds: LightBuffer.Bounds, round: Float = 0, _ color: SceneryLight) {
    let (u0, v0, u1, v1) = bounds
    let middle = (u: (u0 + u1) / 2, v: (v0 + v1) / 2)
    let half = (u: (u1 - u0) / 2 - round, v: (v1 - v0) / 2 - round)
    buffer.fill(bounds, { u, v in color * Self.falling(u, v) }) { u, v in
      let (a, b) = (abs(u - middle.u) - half.u, abs(v - middle.v) - half.v)
      let corner = (max(a, 0) * max(a, 0) + max(b, 0) * max(b, 0)).squareRoot()
      return round - corner - min(max(a, b), 0)
    }
  }

  /// A glowing ball.
  private mutating func globe(_ u: Float, _ v: Float, _ radius: Float, _ light: SceneryLight) {
    buffer.fill((u - radius, v - radius, u + radius, v + radius), { _, _ in light }) {
      radius - (($0 - u) * ($0 - u) + ($1 - v) * ($1 - v)).squareRoot()
    }
  }

  private mutating func wall() {
    let noise = noise
    let (dark, bright, mortar) = (SceneryLight(hex: 0x7C5244), SceneryLight(hex: 0x96685A), SceneryLight(hex: 0x84685C))
    buffer.fill(
      (-3, 0, 3, 1),
      { u, v in
        let course = Int((v / 0.024).rounded(.down))
        let along = u / 0.074 + (course % 2 == 0 ? 0.5 : 0)
        let brick = Int(along.rounded(.down))
        let tint = noise.uniform(brick, course)
        let edge = min(v / 0.024 - Float(course), (along - Float(brick)) * 3)
        let clay = mix(dark, bright, tint * tint) * (0.9 + 0.2 * noise.uniform(course, brick + 999))
        let color = mix(mortar, clay, smooth(0.06, 0.16, edge))
        return color * Self.falling(u, v) * (1 + 0.15 * noise.at(u * 5, v * 5))
      }
    ) { _, _ in 1 }
    // Polished floor boards, which reflect the lamps as dim upright streaks.
    let wood = SceneryLight(hex: 0x6B4632)
    buffer.fill(
      (-3, 0.905, 3, 1),
      { u, v in
        let depth = v - 0.905
        let board = Int((u / (0.10 + depth * 0.6)).rounded(.down))
        var color = wood * (0.8 + 0.35 * noise.uniform(board, 4)) * (Self.falling(u, v * 0.5 + 0.3) * 0.8 + 0.06)
        for lamp in Self.lamps {
          let across = (u - lamp.u) / 0.09
          color += lamp.light * wood * (0.5 * expf(-across * across) * (1 - depth * 4))
        }
        return color
      }
    ) { _, v in v - 0.905 }
    box((-3, 0.888, 3, 0.907), SceneryLight(hex: 0x4A3A32))
  }

  private mutating func window(_ u0: Float, _ u1: Float) {
    let (v0, v1): (Float, Float) = (0.07, 0.70)
    box((u0 - 0.022, v0 - 0.022, u1 + 0.022, v1 + 0.022), SceneryLight(hex: 0x1B1B1F))
    let (columns, rows) = (3, 3)
    for i in 0..<columns {
      for j in 0..<rows {
        let left = mix(u0, u1, Float(i) / 3) + 0.006
        let right = mix(u0, u1, Float(i + 1) / 3) - 0.006
        let top = mix(v0, v1, Float(j) / 3) + 0.006
        let bottom = mix(v0, v1, Float(j + 1) / 3) - 0.006
        clear(left, top, right, bottom)
      }
    }
    box((u0 - 0.05, v1 + 0.02, u1 + 0.05, v1 + 0.045), SceneryLight(hex: 0xA58468))
    plant(mix(u0, u1, 0.20), v1 + 0.022, 0.040, seed: 5)
    plant(mix(u0, u1, 0.34), v1 + 0.022, 0.028, seed: 6)
    plant(mix(u0, u1, 0.86), v1 + 0.022, 0.036, seed: 7)
  }

  /// Makes a pane: removes what covers the view, except for a faint reflection of the room.
  private mutating func clear(_ u0: Float, _ v0: Float, _ u1: Float, _ v1: Float) {
    buffer.change((u0, v0, u1, v1)) { cell, u, v in
      if u < u0 || u > u1 || v < v0 || v > v1 { return }
      cell = LightBuffer.Cell(SceneryLight(0.012, 0.008, 0.005), 0.04)
    }
  }

  private mutating func plant(_ u: Float, _ foot: Float, _ size: Float, seed: Int) {
    for k in 0..<26 {
      let (a, b, c) = (noise.uniform(k, seed), noise.uniform(k, seed + 50), noise.uniform(k, seed + 100))
      let at = (u: u + (a - 0.5) * size * 2.3, v: foot - size * (0.9 + 2.0 * b))
      let leaf = (long: size * (0.30 + 0.3 * c), turn: (a - 0.5) * 2.4)
      let green = mix(SceneryLight(hex: 0x24422C), SceneryLight(hex: 0x5E8A4C), c)
      let (cosine, sine) = (cosf(leaf.turn), sinf(leaf.turn))
      buffer.fill(
        (at.u - leaf.long, at.v - leaf.long, at.u + leaf.long, at.v + leaf.long),
        { u, v in green * Self.falling(u, v) }
      ) {
        let (x, y) = ($0 - at.u, $1 - at.v)
        let (p, q) = (x * cosine + y * sine, y * cosine - x * sine)
        return leaf.long - (p * p * 9 + q * q).squareRoot()
      }
    }
    box((u - size * 0.55, foot - size, u + size * 0.55, foot), round: size * 0.15, SceneryLight(hex: 0xB5785A))
  }

  private mutating func shelf(_ u0: Float, _ u1: Float) {
    let noise = noise
    let wood = SceneryLight(hex: 0x6E4B33)
    box((u0 - 0.01, 0.13, u1 + 0.01, 0.90), SceneryLight(hex: 0x2A201B))
    let boards: [Float] = [0.13, 0.285, 0.44, 0.595, 0.75, 0.895]
    let spines: [UInt32] = [
      0xC8B79A, 0x8E3B32, 0x2F4F5F, 0xD9A441, 0x54664B, 0x3B3A4A, 0xB86F4B, 0xE3D9C6, 0x6F8A91, 0x7B2F3F,
    ]
    for (index, pair) in zip(boards, boards.dropFirst()).enumerated() {
      // A strip of small lamps under each board lights the objects below it.
      let (top, bottom) = pair
      let back = SceneryLight(hex: 0x5A4030)
      buffer.fill(
        (u0, top, u1, bottom),
        { u, v in
          back * (Self.falling(u, v) * 0.7 + SceneryLight(1.5, 0.82, 0.36) * (0.15 + 1.5 * expf(-(v - top) / 0.04)))
        }
      ) { u, v in min(u - u0, u1 - u, v - top, bottom - v) }
      var u = u0 + 0.012
      var k = 0
      while u < u1 - 0.04 {
        let random = { (j: Int) in noise.uniform(k, index * 8 + j + 300) }
        k += 1
        if random(0) < 0.09 { u += 0.02 + 0.04 * random(1); continue }
        let width = 0.011 + 0.016 * random(2)
        let high = 0.075 + 0.055 * random(3)
        if abs(u - 0.775) < 0.075 && index == 1 { u += width; continue }
        let color = SceneryLight(hex: spines[min(Int(random(4) * 10), 9)])
        buffer.fill(
          (u, bottom - high, u + width, bottom),
          { x, v in
            color * (Self.falling(x, v) + SceneryLight(1.0, 0.58, 0.28) * (0.1 + 0.8 * expf(-(v - top) / 0.07)))
          }
        ) { x, v in min(x - u, u + width - 0.0015 - x, v - bottom + high, bottom - v) }
        u += width
      }
    }
    for board in boards { box((u0 - 0.01, board, u1 + 0.01, board + 0.014), wood) }
    box((u0 - 0.014, 0.13, u0, 0.91), wood)
    box((u1, 0.13, u1 + 0.014, 0.91), wood)
    globe(0.775, 0.400, 0.036, SceneryLight(1.7, 1.0, 0.46))
    plant(0.47, 0.132, 0.035, seed: 9)
    plant(0.74, 0.132, 0.042, seed: 12)
  }

  private mutating func sideboard() {
    for u in [Float(-0.27), 0.30] { box((u - 0.006, 0.86, u + 0.006, 0.925), SceneryLight(hex: 0x241A14)) }
    box((-0.30, 0.745, 0.33, 0.885), round: 0.006, SceneryLight(hex: 0x8A5E3E))
    box((-0.31, 0.742, 0.34, 0.757), round: 0.004, SceneryLight(hex: 0xB98A62))
    for u in [Float(-0.09), 0.12] { box((u - 0.0015, 0.757, u + 0.0015, 0.885), SceneryLight(hex: 0x4A3020)) }
    plant(0.24, 0.747, 0.040, seed: 14)
    box((-0.06, 0.705, 0.06, 0.717), SceneryLight(hex: 0xC8B79A))
    box((-0.055, 0.717, 0.05, 0.731), SceneryLight(hex: 0x2F4F5F))
    box((-0.065, 0.731, 0.062, 0.747), SceneryLight(hex: 0x8E3B32))
  }

  private mutating func floorLamp() {
    box((-0.238, 0.45, -0.232, 0.94), SceneryLight(hex: 0x2A2522))
    let lamp = Self.lamps[2]
    buffer.fill(
      (lamp.u - 0.08, 0.36, lamp.u + 0.08, 0.47),
      { _, v in
        SceneryLight(1.5, 0.86, 0.37) * (0.45 + 0.75 * expf(-(v - 0.425) * (v - 0.425) / 0.0010))
      }
    ) { u, v in
      min(0.048 + (v - 0.37) * 0.25 - abs(u - lamp.u), v - 0.37, 0.462 - v)
    }
  }

  private mutating func pendants() {
    for lamp in Self.lamps.prefix(2) {
      box((lamp.u - 0.002, 0, lamp.u + 0.002, lamp.v), SceneryLight(hex: 0x151412))
      globe(lamp.u, lamp.v, 0.030, SceneryLight(2.2, 1.45, 0.75))
    }
  }
}
