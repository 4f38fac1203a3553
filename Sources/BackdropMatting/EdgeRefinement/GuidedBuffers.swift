import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// Memory of the guided filter for one pair of sizes.
final class GuidedBuffers {
  let width: Int, height: Int
  /// For each column of the picture, its position between the matte's columns.
  private(set) var indices = ZeroedMemory<Int32>(count: 0)
  private(set) var fractions = ZeroedMemory<Float>(count: 0)
  private var pictureWidth = 0
  private var columnCapacity = 0
  private let blocks: Int
  private let stride: Int
  /// Eleven planes with access beyond their edges (three channels, the matte, six products, the background), then ten without.
  private let floats: ZeroedMemory<Float>
  private let planeCount: Int
  private let states: ZeroedMemory<UInt8>
  private let mixed: ZeroedMemory<UInt16>
  private var drawing = ZeroedMemory<Float>(count: 0)
  private var drawingCapacity = 0
  private let kernels: bd_temporal_kernels

  private static let block = Int(BD_GUIDED_BLOCK)
  /// Rows of zeros above and below; no radius is larger.
  private static let margin = block

  init(width: Int, height: Int, kernels: bd_temporal_kernels) {
    self.kernels = kernels
    self.width = width
    self.height = height
    blocks = (width + Self.block - 1) / Self.block
    stride = (blocks + 2) * Self.block
    planeCount = stride * (height + 2 * Self.margin)
    floats = ZeroedMemory(count: 21 * planeCount)
    states = ZeroedMemory(count: 2 * blocks * height)
    mixed = ZeroedMemory(count: blocks * height)
  }

  func fit(pictureWidth: Int) {
    guard pictureWidth != self.pictureWidth else { return }
    self.pictureWidth = pictureWidth
    let columns = (pictureWidth + Self.block - 1) / Self.block * Self.block
    if columns > columnCapacity {
      (indices, fractions) = (ZeroedMemory(count: columns), ZeroedMemory(count: columns))
      columnCapacity = columns
    }
    for x in 0..<columns {
      let column = Double(min(x, pictureWidth - 1))
      let position = max(0, (column + 0.5) * Double(width) / Double(pictureWidth) - 0.5)
      let left = min(Int(position), max(0, width - 2))
      indices[x] = Int32(left)
      fractions[x] = width > 1 ? Float(min(1, position - Double(left))) : 0
    }
  }

  private func plane(_ index: Int) -> UnsafeMutablePointer<Float> {
    floats.base + index * planeCount + Self.margin * stride + Self.block
  }

  /// The number of values that one thread needs for drawing.
  var scratchCount: Int { bd_guided_scratch(blocks, pictureWidth) }

  func scratch(_ parts: Int) -> UnsafeMutablePointer<Float> {
    let count = parts * scratchCount
    if drawingCapacity < count { (drawing, drawingCapacity) = (ZeroedMemory(count: count), count) }
    return drawing.base
  }

  /// The kernels' job for a refinement, with its settings clamped to their ranges.
  func job(_ settings: MatteRefinement) -> bd_guided {
    let radius = Int32(min(max(settings.radius, 1), Self.block))
    let strength = settings.strength.isNaN ? 1 : min(max(settings.strength, 0), 1)
    let tolerance = Float(max(settings.textureTolerance, 1e-3))
    return bd_guided(
      guide: (UnsafePointer(plane(0)), UnsafePointer(plane(1)), UnsafePointer(plane(2))),
      matte: UnsafePointer(plane(3)), product: (plane(4), plane(5), plane(6), plane(7), plane(8), plane(9)),
      background: plane(10), found: (plane(11), plane(12), plane(13), plane(14), plane(15)),
      mean: (plane(16), plane(17), plane(18), plane(19)), trust: plane(20), stride: stride, found_states: states.base,
      mean_states: states.base + blocks * height, mixed: mixed.base, width: Int32(width), height: Int32(height),
      blocks: Int32(blocks), radius: radius, epsilon: Float(max(settings.epsilon, 1e-7)), strength: Float(strength),
      sees_pixels: settings.seesPixels ? 1 : 0, texture_radius: min(2 * radius, Int32(Self.block)),
      texture_scale: 1 / (tolerance * tolerance), own_slope: Float(min(max(settings.ownSlope, 0.1), 100)))
  }

  /// The trust in the picture's colours, 0…1; 1 where there was nothing to decide.
  var trust: Plane<Float> {
    var result = Plane<Float>(repeating: 1, width: width, height: height)
    let means = states.base + blocks * height
    for y in 0..<height {
      var row = result.mutableRow(y)
      let from = plane(20) + y * stride
      for x in 0..<width where means[y * blocks + x / Self.block] == UInt8(BD_GUIDED_MIXED) { row[x] = from[x] }
    }
    return result
  }

  /// Loads the matte. Values near 0 or 1 become exactly that, so that their windows need no work.
  func load(_ matte: Matte) {
    let target = plane(3)
    matte.q15.withUnsafePointer { source in
      for y in 0..<height {
        kernels.stretch(source + y * matte.q15.stride, width, 655, 1 / Float(32_768 - 2 * 655), target + y * stride)
      }
    }
  }

  /// Loads the three channels of a picture of the working size, 0…1.
  func load(_ image: Image) {
    let channels = GuidedChannels(image)
    let strides = [channels.strides.0, channels.strides.1, channels.strides.2]
    let steps = [channels.steps.0, channels.steps.1, channels.steps.2].map(Int.init)
    let shifts = [channels.halved.0, channels.halved.1, channels.halved.2].map(Int.init)
    image.withUnsafeBytes { base in
      for channel in 0..<3 {
        let source = channels.pointer(channel, base)
        let target = plane(channel)
        let (step, shift) = (steps[channel], shifts[channel])
        for y in 0..<height {
          kernels.channel(source + (y >> shift) * strides[channel], step, Int32(shift), width, target + y * stride)
        }
      }
    }
  }
}
