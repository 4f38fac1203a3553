import BackdropImaging
import CBackdropKernels
import Libc

/// Tables and reduced planes of a lens blur.
final class BokehPlanes {
  struct Shape: Equatable {
    var width: Int, height: Int
    var radius: Double
    /// How many times smaller light is spread.
    var factor: Int
    var hasBehind: Bool, hasBefore: Bool
  }

  let shape: Shape
  let width: Int, height: Int
  var radius: Double { shape.radius }
  var factor: Int { shape.factor }
  private var hasBehind: Bool { shape.hasBehind }
  private var hasBefore: Bool { shape.hasBefore }
  private let stride: Int, sumsStride: Int, margin: Int
  private let memory: ZeroedMemory<Float>
  private let count: Int
  private let sums: ZeroedMemory<UInt32>
  private let light = ZeroedMemory<Float>(count: 256)
  private let encode = ZeroedMemory<UInt8>(count: 65_536)
  private var isFresh = true

  /// The start of each plane: eight for each existing layer, then radii, edges and surroundings.
  private func plane(_ index: Int) -> UnsafeMutablePointer<Float> { memory.base + index * count }
  private var beforeStart: Int { hasBehind ? 8 : 0 }
  private var otherStart: Int { beforeStart + (hasBefore ? 8 : 0) }
  private var edgeIndex: Int { otherStart + (hasBehind ? 1 : 0) + (hasBefore ? 1 : 0) }

  init(_ shape: Shape) {
    self.shape = shape
    width = (shape.width + shape.factor - 1) / shape.factor
    height = (shape.height + shape.factor - 1) / shape.factor
    stride = (width + 15) / 16 * 16
    margin = (Int(shape.radius / Double(shape.factor)) + 4 + 18 + 15) / 16 * 16
    sumsStride = stride + 2 * margin + 32
    count = stride * height + 32
    let planes = (shape.hasBehind ? 9 : 0) + (shape.hasBefore ? 9 : 0) + 2
    memory = ZeroedMemory(count: planes * count)
    sums = ZeroedMemory(count: 4 * sumsStride * height)
    for i in 0..<256 { light[i] = Float(ToneCurve.srgb.light(Double(i) / 255)) }
    for i in 0..<65_536 { encode[i] = UInt8((ToneCurve.srgb.sample(Double(i) / 65_535) * 255).rounded()) }
  }

  /// Takes the layers of a picture, without any light yet.
  func begin(_ layers: FocusLayers) {
    if !isFresh {
      if hasBehind { plane(4).update(repeating: 0, count: 4 * count) }
      if hasBefore { plane(beforeStart + 4).update(repeating: 0, count: 4 * count) }
    }
    isFresh = false
    if hasBehind { load(layers.behindRadius, scale: 1 / Float(factor), into: plane(otherStart)) }
    if hasBefore { load(layers.beforeRadius, scale: 1 / Float(factor), into: plane(edgeIndex - 1)) }
    load(layers.edge, scale: 1, into: plane(edgeIndex))
  }

  /// A plane over the picture at the reduced size, interpolated linearly.
  private func load(_ plane: Plane<Float>, scale: Float, into target: UnsafeMutablePointer<Float>) {
    let each = (
      x: Float(plane.width) * Float(factor) / Float(shape.width),
      y: Float(plane.height) * Float(factor) / Float(shape.height)
    )
    enlarge(plane, each: each, scale: scale, into: target)
  }

  /// - Parameter each: the samples of the plane for one at the reduced size.
  private func enlarge(
    _ plane: Plane<Float>, each: (x: Float, y: Float), scale: Float, into target: UnsafeMutablePointer<Float>
  ) {
    guard plane.width > 1 || plane.height > 1 else {
      target.update(repeating: scale * plane[0, 0], count: count)
      return
    }
    let columns = (0..<width).map { x in
      let across = min(max((Float(x) + 0.5) * each.x - 0.5, 0), Float(plane.width - 1))
      return (left: Int(across), right: min(Int(across) + 1, plane.width - 1), part: across - Float(Int(across)))
    }
    for y in 0..<height {
      let down = min(max((Float(y) + 0.5) * each.y - 0.5, 0), Float(plane.height - 1))
      let (above, below) = (plane.row(Int(down)), plane.row(min(Int(down) + 1, plane.height - 1)))
      let part = down - Float(Int(down))
      for x in 0..<width {
        let column = columns[x]
        let a = above[column.left] + (above[column.right] - above[column.left]) * column.part
        let b = below[column.left] + (below[column.right] - below[column.left]) * column.part
        target[y * stride + x] = scale * (a + (b - a) * part)
      }
    }
  }

  /// Sets everything that does not depend on the picture's memory.
  func fill(_ job: inout bd_bokeh) {
    job.width = Int32(shape.width)
    job.height = Int32(shape.height)
    job.light = UnsafePointer(light.base)
    job.encode = UnsafePointer(encode.base)
    job.factor = Int32(factor)
    job.small_width = Int32(width)
    job.small_height = Int32(height)
    job.stride = stride
    job.sums_stride = sumsStride
    job.margin = Int32(margin)
    func sum(_ k: Int) -> UnsafeMutablePointer<UInt32> { sums.base + k * sumsStride * height + margin }
    job.sums = (sum(0), sum(1), sum(2), sum(3))
    func layer(_ start: Int, radius: Int) -> bd_bokeh_layer {
      bd_bokeh_layer(
        cover: nil, cover_stride: 0, light: (plane(start), plane(start + 1), plane(start + 2), plane(start + 3)),
        radius: UnsafePointer(plane(radius)),
        found: (plane(start + 4), plane(start + 5), plane(start + 6), plane(start + 7)))
    }
    if hasBehind { job.layers.0 = layer(0, radius: otherStart) }
    if hasBefore { job.layers.1 = layer(beforeStart, radius: edgeIndex - 1) }
    job.edge = UnsafePointer(plane(edgeIndex))
    job.around = UnsafePointer(plane(edgeIndex + 1))
  }

  /// The mean luminance round each pixel of a layer, from pixels of the layer.
  func findSurroundings(_ layer: Int) {
    let start = layer == 0 ? 0 : beforeStart
    let (r, g, b, w) = (plane(start), plane(start + 1), plane(start + 2), plane(start + 3))
    // Means over squares are enough, interpolated bilinearly between the squares' centres.
    let side = max(16, width / 48)
    let (columns, rows) = ((width + side - 1) / side, (height + side - 1) / side)
    var values = Plane<Float>(repeating: 0, width: columns, height: rows)
    var weights = values
    for y in 0..<height {
      let at = y * stride
      var sums = values.mutableRow(y / side)
      var shares = weights.mutableRow(y / side)
      for column in 0..<columns {
        for i in at + column * side..<at + min((column + 1) * side, width) {
          sums[column] += 0.2126 * r[i] + 0.7152 * g[i] + 0.0722 * b[i]
          shares[column] += w[i]
        }
      }
    }
    for y in 0..<rows {
      for x in 0..<columns {
        let weight = weights[x, y]
        values[x, y] = weight > 1e-3 ? values[x, y] / weight : 0
        weights[x, y] = weight > 1e-3 ? min(1, weight / Float(side * side)) : 0
      }
    }
    let each = 1 / Float(side)
    enlarge(SmoothFill.filled(values, weight: weights), each: (each, each), scale: 1, into: plane(edgeIndex + 1))
  }
}
