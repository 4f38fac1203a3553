import BackdropImaging
import CBackdropKernels
import TestSupport
import Testing

@testable import BackdropSimulation

/// The kernels of the simulated depth sensor, compared bit by bit with a calculation for each pixel.
@Suite struct SimulatedSensorTests {
  @Test(arguments: [1, 2, 7, 8, 9, 16, 23, 24, 25, 40, 67]) func seesAsTheOracleDoes(_ width: Int) {
    var random = SeededRandom(seed: UInt64(width))
    let height = 11
    let sensor = bd_render_sensor(
      width: Int32(width), height: Int32(height), disparityOfMetre: 2.5, scale: 9.5, sigma: 0.035, far: 5, seed: 77,
      frame: 13)
    var metres = [Float](), reflectance = [UInt8]()
    for i in 0..<width * height {
      let surface = Float.random(in: 0.4...6, using: &random)
      metres.append(i % 9 == 4 ? .nan : i / 5 % 3 == 0 ? surface : 1.5)
      reflectance.append(UInt8.random(in: i % 2 == 0 ? 0...80 : 0...255, using: &random))
    }
    var expectedVisible = [Float]()
    for y in 0..<height {
      let row = y * width..<(y + 1) * width
      expectedVisible += Self.lit(y, Array(metres[row]), Array(reflectance[row]), sensor)
    }
    var expected = [Float]()
    for y in 0..<height { expected += Self.measured(y, expectedVisible, sensor) }
    for level in CPULevel.supported {
      let kernels = level.kernels.render
      var visible = [Float](repeating: 0, count: width * height)
      var result = visible
      var scratch = [Float](repeating: 0, count: 3 * width + 16)
      withUnsafePointer(to: sensor) { sensor in
        for y in 0..<height {
          visible.withUnsafeMutableBufferPointer { visible in
            metres.withUnsafeBufferPointer { metres in
              reflectance.withUnsafeBufferPointer {
                kernels.illuminate_row(
                  visible.baseAddress! + y * width, Int32(y), metres.baseAddress! + y * width,
                  $0.baseAddress! + y * width, sensor, &scratch)
              }
            }
          }
        }
        for y in 0..<height {
          result.withUnsafeMutableBufferPointer { result in
            visible.withUnsafeBufferPointer {
              kernels.measure_row(result.baseAddress! + y * width, Int32(y), $0.baseAddress, width, sensor, &scratch)
            }
          }
        }
      }
      #expect(visible == expectedVisible, "\(level)")
      #expect(zip(result, expected).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) }, "\(level)")
    }
  }

  @Test(arguments: 0..<16) func drawsDepthAsTheOracleDoes(_ seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    var painting = Painting(left: 0, top: 0, right: 30, bottom: 20, scale: 1)
    for (row, column) in product(2..<painting.height - 2, 2..<painting.width - 2) {
      let share: Float = seed % 4 == 0 ? 1 : [0, 0.3, 0.7, 1].randomElement(using: &random)!
      painting.lay(
        SIMD3(0.4, 0.5, 0.2), share, relief: .random(in: 0...9, using: &random),
        reflectance: .random(in: 0...255, using: &random), at: row * painting.width + column)
    }
    let sprite = Sprite(painting, distance: 0.8)
    let width = Int.random(in: 16...90, using: &random), height = Int.random(in: 16...50, using: &random)
    let turn = Float.random(in: -0.4...0.4, using: &random), zoom = Float.random(in: 0.2...1.3, using: &random)
    let placement = Placement(
      sprite, plane: [0.01, 1e-4, -2e-4], width: width, height: height, bounds: (0, 0, Float(width), Float(height))
    ) { x, y in SIMD2(x * zoom - y * turn + 2, y * zoom + x * turn - 3) }
    let count = Int.random(in: 8...120, using: &random)
    let step = Double(width) / Double(count)
    for y in [-0.4, 0, 3.25, 15.99, 16, Double(height) - 1.5, Double(height)] {
      let background = (0..<count).map { _ in Float.random(in: 1...3, using: &random) }
      func draw(
        _ body: (bd_render_depth_row, bd_render_layer, bd_render_mesh) -> Void
      ) -> (metres: [Float], reflectance: [UInt8]) {
        var (metres, reflectance) = (background, [UInt8](repeating: 7, count: count))
        metres.withUnsafeMutableBufferPointer { metres in
          reflectance.withUnsafeMutableBufferPointer { reflectance in
            let row = bd_render_depth_row(
              metres: metres.baseAddress, reflectance: reflectance.baseAddress, count: Int32(count),
              x: Int32((step * 0.5 - 0.5) * 65536), dx: Int32(step * 65536))
            placement.withLayer { body(row, $0.pointee, $1.pointee) }
          }
        }
        return (metres, reflectance)
      }
      let at = Int32(y * 65536)
      let expected = draw { Self.drawDepth($0, Int(at), $1, $2, placement.plane) }
      for level in CPULevel.supported {
        let found = draw { row, layer, mesh in
          withUnsafePointer(to: row) { row in
            withUnsafePointer(to: layer) { layer in
              withUnsafePointer(to: mesh) { level.kernels.render.depth_row(row, at, layer, $0, placement.plane) }
            }
          }
        }
        #expect(found == expected, "seed \(seed), \(level), row \(y)")
      }
    }
  }

  // MARK: - Oracles

  private static func hash(_ value: UInt32) -> UInt32 {
    var a = value
    a ^= a >> 16
    a &*= 0x7feb_352d
    a ^= a >> 15
    a &*= 0x846c_a68b
    a ^= a >> 16
    return a
  }

  private static func drift(_ x: Int, _ y: Int, _ sensor: bd_render_sensor) -> Float {
    let h = hash(UInt32(x) &* 0x9e37_79b9 &+ hash(UInt32(y) &+ sensor.seed))
    let phase = h &+ sensor.frame &* (0x0100_0000 &+ (h & 0x00ff_ffff))
    // A triangle wave.
    let folded = phase >> 31 == 1 ? ~phase : phase
    return Float(folded >> 7) * (1 / 16_777_216)
  }

  private static func lit(
    _ y: Int, _ metres: [Float], _ reflectance: [UInt8], _ sensor: bd_render_sensor
  ) -> [Float] {
    let width = metres.count
    var seen = metres.map { _ in Float.infinity }
    for x in 0..<width {
      let projected = Float(x) - sensor.disparityOfMetre / metres[x]
      let isHidden = (x + 1..<width).contains { Float($0) - sensor.disparityOfMetre / metres[$0] <= projected }
      guard !metres[x].isNaN, !isHidden else { continue }
      func edge(_ column: Int) -> Float {
        let above = drift(column, y / 8, sensor)
        return above + (drift(column, y / 8 + 1, sensor) - above) * (Float(y % 8) * (1 / 8))
      }
      let (left, right) = (edge(x / 8), edge(x / 8 + 1))
      let blotches = left + (right - left) * (Float(x % 8) * (1 / 8))
      let lost = 0.8 - Float(reflectance[x]) * (0.8 / 64)
      if blotches >= lost && metres[x] < sensor.far * (0.97 + 0.06 * blotches) { seen[x] = metres[x] }
    }
    return (0..<width).map { min(seen[max($0 - 1, 0)], seen[$0], seen[min($0 + 1, width - 1)]) }
  }

  private static func measured(_ y: Int, _ visible: [Float], _ sensor: bd_render_sensor) -> [Float] {
    let width = Int(sensor.width), height = Int(sensor.height)
    func gauss(_ x: Int, _ y: Int) -> Float {
      let h = hash(
        UInt32(x) &* 0x9e37_79b9 &+ hash(UInt32(y) &* 0x85eb_ca6b &+ hash(sensor.frame &+ sensor.seed)))
      let sum = (h & 255) + (h >> 8 & 255) + (h >> 16 & 255) + (h >> 24)
      return (Float(sum) - 510) * (1 / 147.8)
    }
    func node(_ i: Int) -> Float {
      let a = gauss(i, y / 3)
      return a + (gauss(i, y / 3 + 1) - a) * (Float(y % 3) * (1.0 / 3))
    }
    let full = sensor.disparityOfMetre * sensor.scale
    return (0..<width).map { (x: Int) -> Float in
      let h = hash(
        UInt32(x / 3) &* 0x9e37_79b9 &+ UInt32(y / 2) &* 0x85eb_ca6b &+ (sensor.frame & ~1) &+ sensor.seed)
      let dx = Int(((h & 0xffff) * 5) >> 16) - 2, dy = Int(((h >> 16) * 3) >> 16) - 1
      let here = visible[y * width + x]
      let there = visible[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)]
      let gap = there > here ? there - here : here - there
      let metres = gap < 0.03 ? here : there
      let (left, right) = (node(x / 3), node(x / 3 + 1))
      let noise = left + (right - left) * (Float(x % 3) * (1.0 / 3))
      let disparity = (full / metres + noise * (sensor.sigma * (27.0 / 19))) * 8
      let steps = Float(Int32(disparity + 0.5))
      return metres < .infinity && steps > 0 ? full * 8 / steps : .nan
    }
  }

  private static func drawDepth(
    _ row: bd_render_depth_row, _ y: Int, _ layer: bd_render_layer, _ mesh: bd_render_mesh, _ plane: [Float]
  ) {
    let unit = 16 << 16
    let y = min(max(y, 0), (Int(mesh.rows) - 1) * unit - 1)
    for i in 0..<Int(row.count) {
      let x = min(max(Int(row.x) + i * Int(row.dx), 0), (Int(mesh.columns) - 1) * unit - 1)
      let cell = y / unit * (Int(mesh.columns) - 1) + x / unit
      guard mesh.active[cell] > 0 else { continue }
      func corner(_ right: Int, _ down: Int, _ part: Int) -> Int {
        Int(mesh.nodes[((y / unit + down) * Int(mesh.columns) + x / unit + right) * 2 + part])
      }
      func mix(_ a: Int, _ b: Int, _ f: Int) -> Int { a + (((b - a) * f) >> 20) }
      func texel(_ part: Int, _ last: Int32) -> Int {
        let left = mix(corner(0, 0, part), corner(0, 1, part), y % unit)
        let right = mix(corner(1, 0, part), corner(1, 1, part), y % unit)
        return min(max(mix(left, right, x % unit), 0), Int(last) << 16)
      }
      let (u, v) = (texel(0, layer.width - 2), texel(1, layer.height - 2))
      let (fu, fv) = (u >> 8 & 255, v >> 8 & 255)
      let at = (v >> 16) * Int(layer.stride) + (u >> 16), below = at + Int(layer.stride)
      if mesh.active[cell] == 1 {
        func coverage(_ index: Int) -> Int { Int(layer.texels[4 * index + 3]) }
        let left = coverage(at) + (((coverage(below) - coverage(at)) * fv) >> 8)
        let right = coverage(at + 1) + (((coverage(below + 1) - coverage(at + 1)) * fv) >> 8)
        guard left + (((right - left) * fu) >> 8) >= 16384 else { continue }
      }
      guard let metres = layer.metres, let reflectance = layer.reflectance else { continue }
      let gu = Float(fu) * (1 / 256), gv = Float(fv) * (1 / 256)
      let upper = metres[at] + (metres[at + 1] - metres[at]) * gu
      let lower = metres[below] + (metres[below + 1] - metres[below]) * gu
      let (pu, pv) = (plane[1] * (Float(u) * (1 / 65536)), plane[2] * (Float(v) * (1 / 65536)))
      row.metres[i] = upper + (lower - upper) * gv + (plane[0] + (pu + pv))
      row.reflectance[i] = reflectance[at + (fu >= 128 ? 1 : 0) + (fv >= 128 ? Int(layer.stride) : 0)]
    }
  }
}
