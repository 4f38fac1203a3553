import BackdropImaging
import BackdropMatting
import CBackdropKernels

/// Shows a picture as a camera saw it that stood a little to the side, from the nearness of its pixels.
///
/// The picture is taken apart at the edges of depth into a nearer layer, with edges drawn to the picture's own and clean
/// colours under them, and a farther one that goes on behind it, in colours of the farther side only. A view moves both by
/// their nearness and lays the nearer over the farther, so what comes into sight is never smeared foreground, and silhouettes
/// are as smooth as mattes are. Good for small moves, up to about 0.03; beyond the picture's edges its outermost pixels go on.
///
/// Prepared once for a picture, then rendered as often as needed. One stream, one synthesizer: it is not safe to call from two
/// threads at once; it uses the pool's threads itself. It keeps two pictures and a matte of the picture's size.
public final class ViewSynthesizer {
  /// Pixel formats that can be rendered.
  public static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8]
  /// Moves that are possible, parts of the picture's width.
  public static let moves = -0.1...0.1

  private let workers: WorkerPool
  private let cpu: CPULevel
  private var scene: Scene?

  /// A picture taken apart.
  private struct Scene {
    var image: Image
    var near: Image, far: Image
    var cover: Matte
    var layers: DepthLayers
    var fields: (near: Plane<Float>, far: Plane<Float>)
  }

  /// Makes a synthesizer.
  public convenience init(workers: WorkerPool) { self.init(workers: workers, cpu: .current) }

  package init(workers: WorkerPool, cpu: CPULevel) {
    self.workers = workers
    self.cpu = cpu
  }

  /// Takes a picture apart.
  ///
  /// - Parameters:
  ///   - image: upright, of one of ``formats``.
  ///   - nearness: 1 is nearest, 0 farthest, of any size; it covers the whole picture. What is no number is filled from what
  ///     is around.
  /// - Throws: `unsupported` for another format, `wrongArgument` if the nearness is empty.
  public func prepare(_ image: Image, nearness: Plane<Float>) throws(BackdropError) {
    guard Self.formats.contains(image.format) else {
      let known = Self.formats.map(\.rawValue).joined(separator: ", ")
      throw BackdropError(
        .unsupported, "cannot move the camera in \(image.format.rawValue)", hint: "convert to one of \(known)")
    }
    guard nearness.width > 0 && nearness.height > 0 else {
      throw BackdropError(.wrongArgument, "the nearness is empty")
    }
    scene = nil
    let layers = try DepthLayers(nearness)
    let cell = Int(BD_VIEWS_CELL)
    let field = Plane<Float>(
      repeating: 0, width: (image.width - 1) / cell + 2, height: (image.height - 1) / cell + 2,
      stride: (image.width - 1) / cell + 2)
    var made = Scene(
      image: image, near: image, far: image, cover: Matte(constant: 0, width: image.width, height: image.height),
      layers: layers, fields: (field, field))
    if layers.hasEdges {
      try MatteRefiner(.best, workers: workers, cpu: cpu).refine(layers.near, of: image, into: &made.cover)
      let estimator = ForegroundEstimator(workers: workers, cpu: cpu)
      var near = Image(image.format, width: image.width, height: image.height, color: image.color)
      try estimator.estimate(image, matte: made.cover, into: &near)
      var far = Image(image.format, width: image.width, height: image.height, color: image.color)
      try estimator.estimateBackground(image, matte: Self.widened(layers.near, made.cover), into: &far)
      (made.near, made.far) = (near, far)
    }
    scene = made
  }

  /// The picture as seen from elsewhere: a pixel of nearness n moves by (n − `zeroPlane`) times `x` widths of the picture to the
  /// right, and `y` widths down. With both 0 it is the picture itself.
  ///
  /// - Parameters:
  ///   - x: within ``moves``.
  ///   - y: within ``moves``.
  ///   - zeroPlane: the nearness that stays where it is, 0…1.
  ///   - output: reused if it has the same size and format and nobody shares it.
  /// - Throws: `wrongArgument` for values out of range, or if nothing was prepared.
  public func render(x: Double, y: Double, zeroPlane: Double, into output: inout Image) throws(BackdropError) {
    // Written so that NaN fails too.
    guard Self.moves.contains(x) && Self.moves.contains(y) else {
      throw BackdropError(
        .wrongArgument, "a move by \(x), \(y) is not possible", hint: "take parts of the width from -0.1 to 0.1")
    }
    guard zeroPlane >= 0 && zeroPlane <= 1 else {
      throw BackdropError(.wrongArgument, "a zero plane of \(zeroPlane) is not possible", hint: "take one from 0 to 1")
    }
    guard var scene = self.scene.take() else {
      throw BackdropError(.wrongArgument, "there is no picture to move in", hint: "prepare one first")
    }
    defer { self.scene = scene }
    let image = scene.image
    guard x != 0 || y != 0 else {
      output = image
      return
    }
    if output.width != image.width || output.height != image.height || output.format != image.format {
      output = Image(image.format, width: image.width, height: image.height, color: image.color)
    }
    output.color = image.color
    output.alpha = image.alpha
    output.orientation = image.orientation
    var job = bd_views()
    job.step = image.format == .rgb8 ? 3 : 4
    job.width = Int32(image.width)
    job.height = Int32(image.height)
    job.near_width = Int32(scene.layers.nearness.far.width)
    job.near_height = Int32(scene.layers.nearness.far.height)
    job.shift_x = Float(x * Double(image.width))
    job.shift_y = Float(y * Double(image.width))
    job.zero = Float(zeroPlane)
    job.cover_stride = scene.cover.q15.stride
    job.output_stride = output.layout(0).bytesPerRow
    let parts = workers.threadCount == 1 ? 1 : 4 * workers.threadCount
    let hasEdges = scene.layers.hasEdges
    let nearness = scene.layers.nearness
    let (near, far) = (scene.near, scene.far)
    let cover = scene.cover
    near.withUnsafeBytes { nearBytes in
      far.withUnsafeBytes { farBytes in
        nearness.near.withUnsafePointer { nearSamples in
          nearness.far.withUnsafePointer { farSamples in
            scene.fields.near.withUnsafeMutablePointer { nearField in
              scene.fields.far.withUnsafeMutablePointer { farField in
                cover.q15.withUnsafePointer { coverSamples in
                  output.withUnsafeMutableBytes { target in
                    func layer(
                      _ bytes: UnsafeRawPointer, _ stride: Int, _ samples: UnsafePointer<Float>, _ nearStride: Int,
                      _ field: UnsafeMutablePointer<Float>
                    ) -> bd_views_layer {
                      bd_views_layer(
                        samples: bytes.assumingMemoryBound(to: UInt8.self), stride: stride, nearness: samples,
                        nearness_stride: nearStride, field: field)
                    }
                    job.layers = (
                      layer(nearBytes, near.layout(0).bytesPerRow, nearSamples, nearness.near.stride, nearField),
                      layer(farBytes, far.layout(0).bytesPerRow, farSamples, nearness.far.stride, farField)
                    )
                    job.cover = coverSamples
                    job.output = target.assumingMemoryBound(to: UInt8.self)
                    var step = ViewStep(kernels: cpu.kernels.views, job: job, parts: parts, layer: 1)
                    for index in hasEdges ? [0, 1] : [1] {
                      step.layer = Int32(index)
                      workers.run(parts: parts, &step) {
                        $0!.assumingMemoryBound(to: ViewStep.self).pointee.solve(Int($1))
                      }
                    }
                    workers.run(parts: parts, &step) {
                      $0!.assumingMemoryBound(to: ViewStep.self).pointee.render(Int($1))
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }

  /// What the farther side's colours must not be taken from: all that the nearer one covers, and some more round it.
  private static func widened(_ coarse: Matte, _ cover: Matte) throws(BackdropError) -> Matte {
    let reach = max(1, max(coarse.width, coarse.height) / 160)
    var small = cover.scaled(toWidth: coarse.width, height: coarse.height).q15
    for y in 0..<small.height {
      let own = coarse.q15.row(y)
      var row = small.mutableRow(y)
      for x in row.indices { row[x] = max(row[x], own[x]) > 1024 ? 32768 : 0 }
    }
    return Matte(q15: try small.dilated(.disc(radius: Double(reach))))
  }
}

/// One step of one view, as the threads see it.
private struct ViewStep {
  let kernels: bd_views_kernels
  var job: bd_views
  let parts: Int
  var layer: Int32

  mutating func solve(_ part: Int) {
    let rows = WorkerPool.share(part, of: (Int(job.height) - 1) / Int(BD_VIEWS_CELL) + 2, in: parts)
    kernels.solve(&job, layer, Int32(rows.lowerBound), Int32(rows.upperBound))
  }

  mutating func render(_ part: Int) {
    let rows = WorkerPool.share(part, of: Int(job.height), in: parts)
    kernels.render(&job, Int32(rows.lowerBound), Int32(rows.upperBound))
  }
}
