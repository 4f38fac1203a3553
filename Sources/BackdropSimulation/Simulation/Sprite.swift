import BackdropImaging
import CBackdropKernels

/// A painting converted for the renderer.
struct Sprite: Sendable {
  /// Blue, green, red and coverage, multiplied by coverage, 32768 = 1; four samples per pixel.
  let texels: Plane<UInt16>
  /// Metres from the camera plane, and infrared reflectance; `nil` for a sprite flat on another.
  let metres: Plane<Float>?
  let reflectance: Plane<UInt8>?
  let width, height: Int
  let left, top, scale: Float
  /// For each square of 16 × 16 texels, whether it contains anything.
  let tiles: [Bool]
  /// For each of these squares, whether it is fully covered.
  let solid: [Bool]
  let tileColumns: Int

  /// - Parameters:
  ///   - distance: the distance of the relief's base plane in metres; `nil` for a sprite flat on another.
  ///   - unit: the metres per unit.
  init(_ painting: Painting, distance: Float?, unit: Float = 0.01) {
    let (width, height) = (painting.width, painting.height)
    (self.width, self.height) = (width, height)
    (left, top, scale) = (painting.left, painting.top, painting.scale)
    var texels = Plane<UInt16>(uninitializedWidth: width * 4, height: height, stride: width * 4)
    let tileColumns = (width + 15) / 16
    var tiles = [Bool](repeating: false, count: tileColumns * ((height + 15) / 16))
    var solid = [Bool](repeating: true, count: tiles.count)
    let codes = Light.codes
    texels.withUnsafeMutablePointer { out in
      for i in 0..<width * height {
        let p = painting.pixels[i]
        if p.w < 0.99999 { solid[i / width / 16 * tileColumns + i % width / 16] = false }
        guard p.w > 0 else {
          for c in 0..<4 { out[4 * i + c] = 0 }
          continue
        }
        tiles[i / width / 16 * tileColumns + i % width / 16] = true
        let shown = Light.tone(SIMD3(p.x, p.y, p.z) / p.w)
        let share = p.w * 32768
        out[4 * i] = UInt16(Light.code(shown.z, codes) * share + 0.5)
        out[4 * i + 1] = UInt16(Light.code(shown.y, codes) * share + 0.5)
        out[4 * i + 2] = UInt16(Light.code(shown.x, codes) * share + 0.5)
        out[4 * i + 3] = p.w < 0.99999 ? UInt16(share + 0.5) : 32768
      }
    }
    (self.texels, self.tiles, self.solid, self.tileColumns) = (texels, tiles, solid, tileColumns)
    guard let distance else {
      (metres, reflectance) = (nil, nil)
      return
    }
    var depth = Plane<Float>(uninitializedWidth: width, height: height, stride: width)
    var infrared = Plane<UInt8>(uninitializedWidth: width, height: height, stride: width)
    depth.withUnsafeMutablePointer { depth in
      infrared.withUnsafeMutablePointer { infrared in
        for y in 0..<height {
          for x in 0..<width {
            let i = y * width + x
            var from = i
            // The pixels next to the outline take their neighbour's depth, for interpolation.
            if painting.pixels[i].w == 0 {
              if x > 0 && painting.pixels[i - 1].w > 0 {
                from = i - 1
              } else if x + 1 < width && painting.pixels[i + 1].w > 0 {
                from = i + 1
              } else if y > 0 && painting.pixels[i - width].w > 0 {
                from = i - width
              } else if y + 1 < height && painting.pixels[i + width].w > 0 {
                from = i + width
              }
            }
            depth[i] = distance - painting.relief[from] * unit
            infrared[i] = painting.reflectance[from]
          }
        }
      }
    }
    (metres, reflectance) = (depth, infrared)
  }

  /// Whether any texel of a box, in 16.16 texels, may be visible, and whether all of them are opaque.
  func holds(_ u0: Int32, _ v0: Int32, _ u1: Int32, _ v1: Int32) -> (some: Bool, all: Bool) {
    let (a, b) = (Int(u0 >> 16) - 1, Int(u1 >> 16) + 2)
    let (c, d) = (Int(v0 >> 16) - 1, Int(v1 >> 16) + 2)
    guard b >= 0 && d >= 0 && a < width && c < height else { return (false, false) }
    var some = false
    var all = a >= 0 && c >= 0 && b < width && d < height
    for row in max(c, 0) / 16...min(d, height - 1) / 16 {
      for column in max(a, 0) / 16...min(b, width - 1) / 16 {
        some = some || tiles[row * tileColumns + column]
        all = all && solid[row * tileColumns + column]
      }
    }
    return (some, all)
  }

  fileprivate func withLayer(_ body: (UnsafePointer<bd_render_layer>) -> Void) {
    texels.withUnsafePointer { texels in
      func bare(_ metres: UnsafePointer<Float>?, _ reflectance: UnsafePointer<UInt8>?) {
        var layer = bd_render_layer(
          texels: texels, metres: metres, reflectance: reflectance, stride: Int32(width), width: Int32(width),
          height: Int32(height))
        body(&layer)
      }
      guard let metres, let reflectance else { return bare(nil, nil) }
      metres.withUnsafePointer { m in reflectance.withUnsafePointer { bare(m, $0) } }
    }
  }
}

/// A sprite's placement in one frame: the texel at each position, sampled every 16 pixels of the picture.
struct Placement: Sendable {
  static let step = 16

  let sprite: Sprite
  /// The change of the sprite's metres: a constant, and slopes per texel to the right and down.
  let plane: [Float]
  private let nodes: [Int32]
  private var active: [UInt8]
  /// The opaque cells.
  private let solid: [Int]
  private let columns, rows: Int
  private let firstCell, cellCount: Int
  /// The rows and columns of nonempty cells.
  let cellRows, cellColumns: Range<Int>

  /// - Parameters:
  ///   - bounds: a box in pixels around the sprite.
  ///   - source: converts the picture's pixels to the sprite's units.
  init(
    _ sprite: Sprite, plane: [Float], width: Int, height: Int, bounds: (x0: Float, y0: Float, x1: Float, y1: Float),
    source: (Float, Float) -> Point
  ) {
    (self.sprite, self.plane) = (sprite, plane)
    columns = (width + Placement.step - 1) / Placement.step + 1
    rows = (height + Placement.step - 1) / Placement.step + 1
    let cells = { (low: Float, high: Float, count: Int) -> Range<Int> in
      let a = min(max(Int(max(low, -1e6) / Float(Placement.step)) - 1, 0), count)
      return a..<max(a, min(Int(min(max(high, 0), 1e6) / Float(Placement.step)) + 1, count))
    }
    let across = cells(bounds.x0, bounds.x1, columns - 1)
    let down = cells(bounds.y0, bounds.y1, rows - 1)
    firstCell = across.lowerBound
    cellCount = across.count
    var nodes = [Int32](repeating: 0, count: columns * rows * 2)
    var active = [UInt8](repeating: 0, count: (columns - 1) * (rows - 1))
    var used: Range<Int>?
    var wide: Range<Int>?
    var solid = [Int]()
    if !across.isEmpty && !down.isEmpty {
      for row in down.lowerBound...down.upperBound {
        for column in across.lowerBound...across.upperBound {
          // Node positions are pixel indices, so their centres are half a pixel further.
          let p = source(Float(column * Placement.step) + 0.5, Float(row * Placement.step) + 0.5)
          let u = ((p.x - sprite.left) * sprite.scale - 0.5) * 65536
          let v = ((p.y - sprite.top) * sprite.scale - 0.5) * 65536
          nodes[2 * (row * columns + column)] = Int32(min(max(u, -1.0e9), 1.0e9).rounded())
          nodes[2 * (row * columns + column) + 1] = Int32(min(max(v, -1.0e9), 1.0e9).rounded())
        }
      }
      for row in down {
        for column in across {
          let a = 2 * (row * columns + column)
          let b = a + 2 * columns
          let u = (
            min(min(nodes[a], nodes[a + 2]), min(nodes[b], nodes[b + 2])),
            max(max(nodes[a], nodes[a + 2]), max(nodes[b], nodes[b + 2]))
          )
          let v = (
            min(min(nodes[a + 1], nodes[a + 3]), min(nodes[b + 1], nodes[b + 3])),
            max(max(nodes[a + 1], nodes[a + 3]), max(nodes[b + 1], nodes[b + 3]))
          )
          let held = sprite.holds(u.0, v.0, u.1, v.1)
          guard held.some else { continue }
          if held.all { solid.append(row * (columns - 1) + column) }
          active[row * (columns - 1) + column] = held.all ? 2 : 1
          used = (used?.lowerBound ?? row)..<row + 1
          wide = min(wide?.lowerBound ?? column, column)..<max(wide?.upperBound ?? 0, column + 1)
        }
      }
    }
    (self.nodes, self.active, self.solid) = (nodes, active, solid)
    (cellRows, cellColumns) = (used ?? 0..<0, wide ?? 0..<0)
  }

  /// Omits the parts that `front`, in the same picture, hides completely.
  mutating func hide(behind front: Placement) {
    for cell in front.solid { active[cell] = 0 }
  }

  /// Calls a function with the kernels' descriptions of the sprite and of its placement.
  func withLayer(_ body: (UnsafePointer<bd_render_layer>, UnsafePointer<bd_render_mesh>) -> Void) {
    sprite.withLayer { layer in
      nodes.withUnsafeBufferPointer { nodes in
        active.withUnsafeBufferPointer { active in
          var mesh = bd_render_mesh(
            nodes: nodes.baseAddress, active: active.baseAddress, columns: Int32(columns), rows: Int32(rows),
            firstCell: Int32(firstCell), cellCount: Int32(cellCount))
          body(layer, &mesh)
        }
      }
    }
  }
}
