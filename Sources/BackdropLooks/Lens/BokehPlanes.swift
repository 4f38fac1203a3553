import BackdropImaging
import CBackdropKernels
import Libc

/// Tables and reduced planes of a lens blur.
final class BokehPlanes {
  let radius: Double
  let factor: Int, width: Int, height: Int
  private let pictureWidth: Int, pictureHeight: Int
  private let stride: Int, sumsStride: Int, margin: Int
  private let memory: ZeroedMemory<Float>
  private let count: Int
  private let sums: ZeroedMemory<UInt32>
  private let light: UnsafeMutablePointer<Float>
  private let encode: UnsafeMutablePointer<UInt8>
  private let hasBehind: Bool, hasBefore: Bool

  /// The start of each plane: eight for each existing layer, then radii, edges and surroundings.
  private func plane(_ index: Int) -> UnsafeMutablePointer<Float> { memory.base + index * count }
  private var beforeStart: Int { hasBehind ? 8 : 0 }
  private var otherStart: Int { beforeStart + (hasBefore ? 8 : 0) }

  init(_ layers: FocusLayers, _ image: Image, radius: Double, savesMemory: Bool) {
    self.radius = radius
    (pictureWidth, pictureHeight) = (image.width, image.height)
    (hasBehind, hasBefore) = (layers.hasBehind, layers.hasBefore)
    // Apertures of up to 16 pixels have clean rims; reduced pictures larger than four million pixels would need too
    // much memory.
    let most = savesMemory ? 2_097_152 : 4_194_304
    var factor = 1
    while factor < 32
      && (radius > 16 * Double(factor)
        || image.width * image.height > most * factor * factor && radius > 4 * Double(factor))
    { factor *= 2 }
    self.factor = factor
    width = (image.width + factor - 1) / factor
    height = (image.height + factor - 1) / factor
    stride = (width + 15) / 16 * 16
    margin = (Int(radius / Double(factor)) + 4 + 18 + 15) / 16 * 16
    sumsStride = stride + 2 * margin + 32
    count = stride * height + 32
    let planes = (layers.hasBehind ? 9 : 0) + (layers.hasBefore ? 9 : 0) + 2
    memory = ZeroedMemory(count: planes * count)
    sums = ZeroedMemory(count: 4 * sumsStride * height)
    light = .allocate(capacity: 256)
    encode = .allocate(capacity: 65_536)
    for i in 0..<256 { light[i] = Float(ToneCurve.srgb.light(Double(i) / 255)) }
    for i in 0..<65_536 { encode[i] = UInt8((ToneCurve.srgb.sample(Double(i) / 65_535) * 255).rounded()) }
    var next = (layers.hasBehind ? 8 : 0) + (layers.hasBefore ? 8 : 0)
    if layers.hasBehind {
      load(layers.behindRadius, scale: 1 / Float(factor), into: memory.base + next * count)
      next += 1
    }
    if layers.hasBefore {
      load(layers.beforeRadius, scale: 1 / Float(factor), into: memory.base + next * count)
      next += 1
    }
    load(layers.edge, scale: 1, into: memory.base + next * count)
  }

  deinit {
    light.deallocate()
    encode.deallocate()
  }

  /// A plane over the picture at the reduced size, interpolated linearly.
  private func load(_ plane: Plane<Float>, scale: Float, into target: UnsafeMutablePointer<Float>) {
    let (xs, ys) = (
      Float(plane.width) * Float(factor) / Float(pictureWidth),
      Float(plane.height) * Float(factor) / Float(pictureHeight)
    )
    for y in 0..<height {
      let down = min(max((Float(y) + 0.5) * ys - 0.5, 0), Float(plane.height - 1))
      let (above, below) = (plane.row(Int(down)), plane.row(min(Int(down) + 1, plane.height - 1)))
      let part = down - Float(Int(down))
      for x in 0..<width {
        let across = min(max((Float(x) + 0.5) * xs - 0.5, 0), Float(plane.width - 1))
        let (left, right) = (Int(across), min(Int(across) + 1, plane.width - 1))
        let a = above[left] + (above[right] - above[left]) * (across - Float(left))
        let b = below[left] + (below[right] - below[left]) * (across - Float(left))
        target[y * stride + x] = scale * (a + (b - a) * part)
      }
    }
  }

  /// Sets everything that does not depend on the picture's memory.
  func fill(_ job: inout bd_bokeh) {
    job.width = Int32(pictureWidth)
    job.height = Int32(pictureHeight)
    job.light = UnsafePointer(light)
    job.encode = UnsafePointer(encode)
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
    if hasBefore { job.layers.1 = layer(beforeStart, radius: otherStart + (hasBehind ? 1 : 0)) }
    let next = otherStart + (hasBehind ? 1 : 0) + (hasBefore ? 1 : 0)
    job.edge = UnsafePointer(plane(next))
    job.around = UnsafePointer(plane(next + 1))
  }

  /// The mean luminance round each pixel of a layer, from pixels of the layer.
  func findSurroundings(_ layer: Int) {
    let start = layer == 0 ? 0 : beforeStart
    let (r, g, b, w) = (plane(start), plane(start + 1), plane(start + 2), plane(start + 3))
    let around = plane(otherStart + (hasBehind ? 1 : 0) + (hasBefore ? 1 : 0) + 1)
    // Means over squares are enough, interpolated bilinearly between the squares' centres.
    let side = max(16, width / 48)
    let (columns, rows) = ((width + side - 1) / side, (height + side - 1) / side)
    var values = Plane<Float>(repeating: 0, width: columns, height: rows)
    var weights = values
    for y in 0..<height {
      for x in 0..<width {
        let i = y * stride + x
        values[x / side, y / side] += 0.2126 * r[i] + 0.7152 * g[i] + 0.0722 * b[i]
        weights[x / side, y / side] += w[i]
      }
    }
    for y in 0..<rows {
      for x in 0..<columns {
        let weight = weights[x, y]
        values[x, y] = weight > 1e-3 ? values[x, y] / weight : 0
        weights[x, y] = weight > 1e-3 ? min(1, weight / Float(side * side)) : 0
      }
    }
    let filled = SmoothFill.filled(values, weight: weights)
    let each = 1 / Float(side)
    for y in 0..<height {
      let down = min(max((Float(y) + 0.5) * each - 0.5, 0), Float(rows - 1))
      let (above, below) = (filled.row(Int(down)), filled.row(min(Int(down) + 1, rows - 1)))
      for x in 0..<width {
        let across = min(max((Float(x) + 0.5) * each - 0.5, 0), Float(columns - 1))
        let (left, right) = (Int(across), min(Int(across) + 1, columns - 1))
        let a = above[left] + (above[right] - above[left]) * (across - Float(left))
        let c = below[left] + (below[right] - below[left]) * (across - Float(left))
        around[y * stride + x] = a + (c - a) * (down - Float(Int(down)))
      }
    }
  }
}
