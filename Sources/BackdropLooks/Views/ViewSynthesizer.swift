import BackdropDepth
import BackdropImaging
import BackdropMatting
import CBackdropKernels

/// Shows a picture from a viewpoint a little to the side, using the disparity of its pixels.
///
/// The picture is divided at the edges of depth. The nearer layer has edges refined to the picture's edges, and clean colours under them.
/// The farther layer continues behind it, in colours of the farther side only. A view moves both by their disparity and lays the nearer
/// over the farther, so that revealed areas never show smeared foreground, and silhouettes are as smooth as mattes. It suits small moves,
/// up to about 0.03; beyond the picture's edges its outermost pixels are repeated.
///
/// Prepare it once for a picture, then render as often as needed. Use one synthesizer for one stream. It is not safe to call from two
/// threads at once; it uses the pool's threads itself. It keeps two pictures and a matte of the picture's size.
package final class ViewSynthesizer {
  package static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8]
  /// The valid moves, as fractions of the picture's width.
  package static let moves = -0.1...0.1

  /// Whether to keep only the layers' differences from the picture, and the matte at half its size.
  package var savesMemory = false

  private let workers: WorkerPool
  private let cpu: CPULevel
  private var scene: Layering?
  private lazy var divider = FrameDivider(workers: workers, cpu: cpu)

  struct Layering {
    var image: Image
    var near: Image, far: Image
    /// The layers' differences from the picture; if set, `near` and `far` are the picture itself.
    var tiles: (near: ViewTiles, far: ViewTiles)?
    var cover: Matte
    var layers: DepthLayers
    var fields: (near: Plane<Float>, far: Plane<Float>)
    /// The viewpoint.
    var shift = (x: Float(0), y: Float(0)), zero = Float(0)

    init(_ image: Image, _ layers: DepthLayers) {
      let cell = Int(BD_VIEWS_CELL)
      let columns = (image.width - 1) / cell + 2
      let field = Plane<Float>(repeating: 0, width: columns, height: (image.height - 1) / cell + 2, stride: columns)
      (self.image, near, far, self.layers) = (image, image, image, layers)
      cover = Matte(constant: 0, width: 1, height: 1)
      fields = (field, field)
    }
  }

  package init(workers: WorkerPool, cpu: CPULevel = .current) {
    self.workers = workers
    self.cpu = cpu
  }

  /// Divides an upright picture, of one of ``formats``, into layers. `disparity` has any size and covers the whole picture: 1 is nearest, 0
  /// farthest, and NaN is filled in from the surroundings.
  ///
  /// - Throws: `unsupported` for another format, `wrongArgument` if the disparity is empty.
  package func prepare(_ image: Image, disparity: Plane<Float>) throws(BackdropError) {
    try check(image, disparity)
    scene = nil
    var made = Layering(image, try DepthLayers(disparity))
    if made.layers.hasEdges {
      if savesMemory { try divideInTiles(&made) } else { try divide(&made) }
    }
    scene = made
  }

  /// Divides a frame of a stream into layers, much faster than ``prepare(_:disparity:)``; see ``FrameDivider``. The disparity stands for
  /// the matte `subject` if it is 1 there and 0 elsewhere.
  func prepareFrame(_ image: Image, disparity: Plane<Float>, subject: Matte?) throws(BackdropError) {
    try check(image, disparity)
    divider.remembers = !savesMemory
    scene = try divider.divide(image, disparity, subject, reusing: scene.take())
  }

  private func check(_ image: Image, _ disparity: Plane<Float>) throws(BackdropError) {
    try image.format.check(isIn: Self.formats, else: "moving the camera does not work on")
    guard disparity.width > 0 && disparity.height > 0 else {
      throw BackdropError(.wrongArgument, "the disparity is empty")
    }
  }

  /// Clean colours are needed only at both sides of edges. Elsewhere the layers are the picture, so that the end of the nearer one on a
  /// slope is invisible.
  private func divide(_ made: inout Layering) throws(BackdropError) {
    let (image, layers) = (made.image, made.layers)
    try MatteRefiner(.best, workers: workers, cpu: cpu).refine(layers.near, of: image, into: &made.cover)
    var layer = Image(image.format, width: image.width, height: image.height, color: image.color)
    try ForegroundEstimator(workers: workers, cpu: cpu).estimate(image, matte: made.cover, into: &layer)
    made.near = try layer.blended(
      over: image, mask: layers.mixed.scaled(toWidth: image.width, height: image.height).q15)
    layer = image
    try BackgroundFill(workers: workers, cpu: cpu).fill(&layer, where: layers.near)
    made.far = try layer.blended(
      over: image, mask: layers.hidden.scaled(toWidth: image.width, height: image.height).q15)
  }

  /// Does the same in strips. Areas behind edges are filled in at half the size.
  private func divideInTiles(_ made: inout Layering) throws(BackdropError) {
    let (image, layers) = (made.image, made.layers)
    let (width, height) = (image.width, image.height)
    var behind = try image.scaled(toWidth: (width + 1) / 2, height: (height + 1) / 2, filter: .area)
    try MatteRefiner(.best, workers: workers, cpu: cpu).refine(layers.near, of: behind, into: &made.cover)
    ScratchMemory.giveBack()
    try BackgroundFill(workers: workers, cpu: cpu).fill(&behind, where: layers.near)
    let estimator = ForegroundEstimator(workers: workers, cpu: cpu)
    estimator.savesMemory = true
    try estimator.gather(image, matte: made.cover)
    let step = image.format == .rgb8 ? 3 : 4
    let near = ViewTiles(width: width, height: height, step: step)
    let far = ViewTiles(width: width, height: height, step: step)
    func enlarging(_ matte: Matte) -> MatteUpsampling {
      MatteUpsampling(fromWidth: matte.width, height: matte.height, toWidth: width, height: height, cpu: cpu)
    }
    let (mixed, hidden) = (enlarging(layers.mixed), enlarging(layers.hidden))
    let scratch = ScratchMemory()
    for (row, first) in stride(from: 0, to: height, by: ViewTiles.side).enumerated() {
      let rows = first..<min(first + ViewTiles.side + ForegroundEstimator.rowStep, height)
      let strip = try image.cropped(x: 0, y: first, width: width, height: rows.count)
      var layer = Image(image.format, width: width, height: rows.count, color: image.color, alpha: image.alpha)
      estimator.rows(rows, of: image, matte: made.cover, into: &layer)
      var mask = mixed.apply(to: layers.mixed.q15, rows: rows)
      near.keep(row: row, of: try layer.blended(over: strip, mask: mask), unlike: strip, seenThrough: made.cover)
      let scale = Double(behind.height) / Double(height)
      let region = Rect(x: 0, y: Double(first) * scale, width: Double(behind.width), height: Double(rows.count) * scale)
      try ImageScaler(
        image.format, sourceWidth: behind.width, sourceHeight: behind.height, region: region, width: width,
        height: rows.count
      ).apply(behind, into: &layer, scratch: scratch)
      mask = hidden.apply(to: layers.hidden.q15, rows: rows)
      far.keep(row: row, of: try layer.blended(over: strip, mask: mask), unlike: strip, seenThrough: nil)
    }
    made.tiles = (near, far)
    ScratchMemory.giveBack()
  }

  /// The picture from another viewpoint: a pixel of disparity n moves by (n − `zeroPlane`) times `x` widths of the picture to the right,
  /// and `y` widths down, both within ``moves``. With both 0 it is the picture itself. The disparity `zeroPlane`, 0…1, stays in place.
  /// `output` is reused if it has the same size and format and is not shared.
  ///
  /// - Throws: `wrongArgument` for values out of range, or if nothing was prepared.
  package func render(x: Double, y: Double, zeroPlane: Double, into output: inout Image) throws(BackdropError) {
    try aim(x: x, y: y, zeroPlane: zeroPlane)
    guard let image = scene?.image else { return }
    guard x != 0 || y != 0 else {
      output = image
      return
    }
    output.fit(image)
    let bytesPerRow = output.layout(0).bytesPerRow
    output.withUnsafeMutableBytes { render(rows: 0..<image.height, to: $0, bytesPerRow: bytesPerRow) }
  }

  /// Sets the viewpoint for ``render(rows:to:bytesPerRow:)``; see ``render(x:y:zeroPlane:into:)``.
  package func aim(x: Double, y: Double, zeroPlane: Double) throws(BackdropError) {
    // Written so that NaN also fails.
    guard Self.moves.contains(x) && Self.moves.contains(y) else {
      throw BackdropError(
        .wrongArgument, "the camera cannot move by \(x), \(y)", hint: "use fractions of the width from -0.1 to 0.1")
    }
    guard zeroPlane >= 0 && zeroPlane <= 1 else {
      throw BackdropError(.wrongArgument, "the zero plane cannot be \(zeroPlane)", hint: "use a value from 0 to 1")
    }
    guard var scene = self.scene.take() else {
      throw BackdropError(.wrongArgument, "the camera has no picture to move in yet", hint: "prepare a picture first")
    }
    scene.shift = (Float(x * Double(scene.image.width)), Float(y * Double(scene.image.width)))
    scene.zero = Float(zeroPlane)
    defer { self.scene = scene }
    // The original viewpoint needs no solution.
    guard x != 0 || y != 0 else { return }
    let distances = scene.layers.disparity
    // A layer at one distance needs none either.
    if let near = distances.near.only { scene.fields.near.update { _ in near } }
    if let far = distances.far.only { scene.fields.far.update { _ in far } }
    var layers: [Int32] = []
    if distances.near.only == nil && scene.layers.hasEdges { layers.append(0) }
    if distances.far.only == nil { layers.append(1) }
    guard !layers.isEmpty else { return }
    run(&scene) { step in
      let nodes = 0..<(Int(step.job.height) - 1) / Int(BD_VIEWS_CELL) + 2
      for layer in layers {
        step.layer = layer
        run(step, nodes) { $0.kernels.solve(&$0.job, $0.layer, $1.from, $1.to) }
      }
    }
  }

  /// Draws some rows of the chosen view, the first of them to `target`.
  package func render(rows: Range<Int>, to target: UnsafeMutableRawPointer, bytesPerRow: Int) {
    guard var scene = self.scene.take() else { preconditionFailure("nothing was aimed at") }
    defer { self.scene = scene }
    guard scene.shift.x != 0 || scene.shift.y != 0 else {
      let layout = scene.image.layout(0)
      scene.image.withUnsafeBytes { source in
        for y in rows {
          (target + (y - rows.lowerBound) * bytesPerRow)
            .copyMemory(from: source + y * layout.bytesPerRow, byteCount: layout.rowBytes)
        }
      }
      return
    }
    run(&scene) { step in
      // Kernels count rows from the top.
      step.job.output = (target - rows.lowerBound * bytesPerRow).assumingMemoryBound(to: UInt8.self)
      step.job.output_stride = bytesPerRow
      run(step, rows) { $0.kernels.render(&$0.job, $1.from, $1.to) }
    }
  }

  private func run(
    _ step: ViewStep, _ rows: Range<Int>, _ work: @escaping @Sendable (inout ViewStep, WorkerPool.RowShare) -> Void
  ) {
    workers.run(parts: workers.partCount, rows: rows, step, work)
  }

  /// Calls `body` with the job for a scene.
  private func run(_ scene: inout Layering, _ body: (inout ViewStep) -> Void) {
    let image = scene.image
    var job = bd_views()
    job.step = image.format == .rgb8 ? 3 : 4
    job.width = Int32(image.width)
    job.height = Int32(image.height)
    job.near_width = Int32(scene.layers.disparity.far.width)
    job.near_height = Int32(scene.layers.disparity.far.height)
    (job.shift_x, job.shift_y, job.zero) = (scene.shift.x, scene.shift.y, scene.zero)
    job.cover_stride = scene.cover.q15.stride
    job.cover_halving = scene.tiles == nil ? 0 : 1
    let disparity = scene.layers.disparity
    func layer(
      _ picture: Image, _ tiles: ViewTiles?, _ disparity: Plane<Float>, _ field: inout Plane<Float>
    ) -> bd_views_layer {
      bd_views_layer(
        samples: picture.base(),
        stride: picture.layout(0).bytesPerRow, tiles: tiles.map { UnsafePointer($0.pointers.base) },
        disparity: disparity.base, disparity_stride: disparity.stride, field: field.mutableBase())
    }
    job.layers = (
      layer(scene.near, scene.tiles?.near, disparity.near, &scene.fields.near),
      layer(scene.far, scene.tiles?.far, disparity.far, &scene.fields.far)
    )
    job.cover = scene.layers.hasEdges ? UnsafePointer(scene.cover.q15.base) : nil
    var step = ViewStep(kernels: cpu.kernels.views, job: job)
    body(&step)
    // The job holds the addresses of its memory.
    withExtendedLifetime(scene) {}
  }
}

extension Plane<Float> {
  /// The value of a plane of one sample.
  fileprivate var only: Float? { width == 1 && height == 1 ? self[0, 0] : nil }
}

private struct ViewStep {
  let kernels: bd_views_kernels
  var job: bd_views
  var layer: Int32 = 0
}
