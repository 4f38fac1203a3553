import BackdropDepth
import BackdropImaging
import CBackdropKernels
import Libc

/// Makes the mattes of a stream by a ``DepthMatteRecipe``, reusing its memory from frame to frame.
///
/// It remembers the last cutoff from a face, for frames with a hole at the face or without a face. Use one maker for one stream. It is not
/// safe to call from two threads at once.
package final class DepthMatteMaker {
  /// The recipe; it may change between frames.
  package var recipe: DepthMatteRecipe {
    didSet { if recipe.sigma != oldValue.sigma { taps = Self.taps(sigma: recipe.sigma, radius: blurRadius) } }
  }
  /// No depth camera sees a face farther away, in metres. A larger value is invalid, and would expose the background.
  private static let farthestFace: Float = 15
  private let blurRadius: Int?
  /// The cutoff of the last frame, in metres.
  package private(set) var cutoffMetres: Double
  private var faceCutoff: Double?
  /// Whether a face sets the cutoff.
  package var followsFace: Bool { recipe.followsFace && faceCutoff != nil }
  private var gapCutoff: Double?
  private var taps: [Float]
  private var scratch: Scratch?
  private let workers: WorkerPool
  private let kernels: bd_matte_kernels

  /// - Parameter blurRadius: the Gaussian's cutoff, in pixels; by default at 4 sigma. Cutting at 3 sigma, as many programs do, is off by
  ///   6 to 9 levels of 255 after a gamma of 0.5; at 4 sigma by 1.3 at most.
  package init(_ recipe: DepthMatteRecipe, blurRadius: Int? = nil, workers: WorkerPool, cpu: CPULevel = .current) {
    self.recipe = recipe
    self.blurRadius = blurRadius
    self.workers = workers
    kernels = cpu.kernels.matte
    cutoffMetres = recipe.cutoffMetres
    taps = Self.taps(sigma: recipe.sigma, radius: blurRadius)
  }

  /// Makes the matte of `frame`, at the size of its depth map, in a matte that is reused if it has that size.
  ///
  /// A map without depth gives a matte of 0 everywhere, so that nothing of the frame is visible.
  ///
  /// - Throws: `badData` if the frame has no depth map, an empty one, or one that is not registered to its picture.
  package func update(_ matte: inout Matte, from frame: Scene) throws(BackdropError) {
    let depth = try updateCutoff(from: frame)
    matte.q15.fit(depth.width, depth.height)
    blur(depth.metres, into: &matte.q15)
  }

  /// Finds ``cutoffMetres`` without making a matte, and returns the frame's depth; throws as ``update(_:from:)``.
  @discardableResult
  package func updateCutoff(from frame: Scene) throws(BackdropError) -> DepthMap {
    guard let depth = frame.depth else {
      throw BackdropError(.badData, "the frame has no depth", hint: .giveDepth)
    }
    try depth.checkAlignment()
    cutoffMetres = cutoff(depth, frame: frame)
    return depth
  }

  /// The distance of a face in metres; `nil` if unknown.
  package static func distance(of face: Rect, in frame: Scene) -> Float? {
    guard let depth = frame.depth else { return nil }
    // x and y are mapped independently: colour and depth may differ in aspect.
    let scale = Double(depth.width) / Double(frame.image.width)
    let x = face.center.x * scale
    let y = face.center.y * Double(depth.height) / Double(frame.image.height)
    guard x >= 0 && y >= 0 && x < Double(depth.width) && y < Double(depth.height),
      let metres = depth.nearby(x: Int(x), y: Int(y), reach: face.width * scale / 2), metres <= farthestFace
    else { return nil }
    return metres
  }

  /// Forgets the last face and gap, at a cut.
  package func reset() { (faceCutoff, gapCutoff) = (nil, nil) }

  private func cutoff(_ depth: DepthMap, frame: Scene) -> Double {
    guard recipe.followsFace else { return cutoffWithoutFace(depth) }
    let faces = frame.faces ?? []
    let count = recipe.faces == .largest ? 1 : faces.count
    var farthest: Float?
    for face in faces.prefix(count) {
      if let metres = Self.distance(of: face, in: frame) { farthest = max(farthest ?? metres, metres) }
    }
    if let farthest { faceCutoff = Double(farthest) + recipe.marginMetres }
    return faceCutoff ?? cutoffWithoutFace(depth)
  }

  private func cutoffWithoutFace(_ depth: DepthMap) -> Double {
    guard recipe.findsGap else { return recipe.cutoffMetres }
    if let found = depth.bands?.cutoffMetres, found <= Self.farthestFace {
      // Go a quarter of the way, so that a hand that comes near does not make the background jump.
      let last = gapCutoff ?? Double(found)
      gapCutoff = last + (Double(found) - last) / 4
    }
    return gapCutoff ?? recipe.cutoffMetres
  }

  private func blur(_ metres: Plane<Float>, into q15: inout Plane<UInt16>) {
    let width = metres.width
    let height = metres.height
    let radius = taps.count - 1
    let blocks = (width + Int(BD_BLUR_BLOCK) - 1) / Int(BD_BLUR_BLOCK)
    let parts = min(height, workers.partCount)
    let shape = Scratch.Shape(width: width, height: height, radius: radius, parts: parts)
    let memory = if let scratch, scratch.shape == shape { scratch } else { Scratch(shape, blocks: blocks) }
    scratch = memory
    let outputStride = q15.stride
    taps.withUnsafeBufferPointer { taps in
      metres.withUnsafePointer { depth in
        q15.withUnsafeMutablePointer { output in
          var job = BlurJob(
            kernels: kernels, depth: depth, depthStride: metres.stride, output: output, outputStride: outputStride,
            // A kernel has at least its middle tap.
            taps: taps.baseAddress!, radius: Int32(radius), cutoff: Float(cutoffMetres),
            gamma: Self.gamma(recipe.gamma), width: Int32(width), height: height, blocks: blocks, parts: parts,
            rows: memory.rows.base, rowStride: memory.stride, states: memory.states.base, padded: memory.padded.base,
            paddedStride: memory.paddedStride)
          workers.run(parts: parts, &job) { $0.blurRows($1) }
          workers.run(parts: parts, &job) { $0.blurColumns($1) }
        }
      }
    }
  }

  /// The gamma in the kernels' range; NaN counts as 1.
  private static func gamma(_ wanted: Double) -> Float { Float(min(max(wanted.isNaN ? 1 : wanted, 0.01), 50)) }

  /// Half of a normalised Gaussian, the middle first; a sigma of 0 or less leaves the mask hard, and 200 is the maximum.
  private static func taps(sigma: Double, radius: Int?) -> [Float] {
    guard sigma > 0 else { return [1] }
    let sigma = min(sigma, 200)
    let radius = max(0, radius ?? Int((4 * sigma).rounded(.up)))
    let weights = (0...radius).map { exp(-0.5 * Double($0 * $0) / (sigma * sigma)) }
    let sum = weights[0] + 2 * weights.dropFirst().reduce(0, +)
    return weights.map { Float($0 / sum) }
  }
}

/// The data of one blur that the threads share.
private struct BlurJob {
  let kernels: bd_matte_kernels
  let depth: UnsafePointer<Float>
  let depthStride: Int
  let output: UnsafeMutablePointer<UInt16>
  let outputStride: Int
  let taps: UnsafePointer<Float>
  let radius: Int32
  let cutoff, gamma: Float
  let width: Int32
  let height, blocks, parts: Int
  let rows: UnsafeMutablePointer<Float>
  let rowStride: Int
  let states: UnsafeMutablePointer<UInt8>
  let padded: UnsafeMutablePointer<Float>
  let paddedStride: Int

  func blurRows(_ part: Int) {
    for y in WorkerPool.share(part, of: height, in: parts) {
      kernels.mask_blur_row(
        depth + y * depthStride, width, cutoff, taps, radius, padded + part * paddedStride, rows + y * rowStride,
        states + y * blocks)
    }
  }

  func blurColumns(_ part: Int) {
    for y in WorkerPool.share(part, of: height, in: parts) {
      kernels.blur_column_gamma_row(
        rows, rowStride, states, Int32(blocks), width, Int32(height), Int32(y), taps, radius, gamma,
        output + y * outputStride)
    }
  }
}

/// Memory that the blur keeps between frames.
private struct Scratch {
  let rows: ZeroedMemory<Float>
  let states: ZeroedMemory<UInt8>
  /// Floats in a row of ``rows``.
  let stride: Int
  /// One row with its edges for each part.
  let padded: ZeroedMemory<Float>
  let paddedStride: Int
  struct Shape: Equatable {
    var width: Int, height: Int, radius: Int, parts: Int
  }

  let shape: Shape

  init(_ shape: Shape, blocks: Int) {
    self.shape = shape
    stride = blocks * Int(BD_BLUR_BLOCK)
    rows = ZeroedMemory(count: stride * shape.height)
    states = ZeroedMemory(count: blocks * shape.height)
    paddedStride = shape.width + 2 * shape.radius + 128
    padded = ZeroedMemory(count: paddedStride * shape.parts)
  }
}
