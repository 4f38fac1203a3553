import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Fills the area behind a subject from its surroundings.
///
/// Smooth colours come from all sides; on top, similar patches continue the surroundings' texture. `PatchFill` finds them in a small copy
/// of the picture; their fine detail then comes from the picture itself. The matte is widened first, to remove the subject's edge
/// completely. The same input gives the same result.
package struct BackgroundFill {
  package static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8]
  private static let longestSide = 400

  private let workers: WorkerPool
  private let cpu: CPULevel

  package init(workers: WorkerPool, cpu: CPULevel = .current) {
    self.workers = workers
    self.cpu = cpu
  }

  /// Replaces the area of an upright picture under the subject's widened matte, which has any size and covers the whole picture. Everything
  /// else stays, including alpha, and all of it if the matte covers nothing.
  ///
  /// - Throws: `unsupported` for a format not in ``formats``, `wrongArgument` if the matte is empty.
  package func fill(_ image: inout Image, where subject: Matte) throws(BackdropError) {
    try image.format.check(isIn: Self.formats, else: "filling the background does not work on")
    guard subject.width > 0 && subject.height > 0 else { throw BackdropError(.wrongArgument, "the matte is empty") }
    let (w, h) = reducedSize(image.width, image.height, toSide: Self.longestSide)
    let (hole, soft, isEmpty) = try Self.widened(subject, w, h)
    guard !isEmpty else { return }
    // Smooth colours first, from outside the hole.
    var smooth = Image(image.format, width: image.width, height: image.height, color: image.color)
    try ForegroundEstimator(workers: workers, cpu: cpu).estimateBackground(
      image, matte: Matte(q15: hole), into: &smooth)
    let step = image.format == .rgb8 ? 3 : 4
    let small = try smooth.scaled(toWidth: w, height: h, filter: .area)
    var pixels = [UInt8](repeating: 0, count: 4 * w * h)
    var isHole = [Bool](repeating: false, count: w * h)
    for y in 0..<h {
      let row = small.row(y)
      let covered = hole.row(y)
      for x in 0..<w {
        for k in 0..<3 { pixels[4 * (y * w + x) + k] = row[step * x + k] }
        isHole[y * w + x] = covered[x] > 0
      }
    }
    var found = PatchFill(filling: pixels, hole: isHole, width: w, height: h, kernels: cpu.kernels.views)
    found.fitRim()
    draw(PatchDetail(found, smooth), smooth, soft, &image, step)
  }

  /// The subject, without soft parts, widened: the hole, 0 or 32768, and the weight of the filling, which is soft towards the outside.
  static func widened(
    _ subject: Matte, _ w: Int, _ h: Int
  ) throws(BackdropError) -> (hole: Plane<UInt16>, soft: Plane<UInt16>, isEmpty: Bool) {
    let wide = subject.width <= w ? subject : Matte(q15: try subject.q15.scaled(toWidth: w, height: h, filter: .area))
    var mask = wide.scaled(toWidth: w, height: h).q15
    var isEmpty = true
    for y in 0..<h {
      var row = mask.mutableRow(y)
      for x in row.indices {
        row[x] = row[x] > 655 ? 32768 : 0
        isEmpty = isEmpty && row[x] == 0
      }
    }
    let reach = Double(max(1, max(w, h) / 160))
    // So wide that the box for softening does not reach the subject, even diagonally.
    let inner = try mask.dilated(.disc(radius: (1.5 * reach).rounded(.up)))
    let hole = try mask.dilated(.disc(radius: 2 * reach))
    return (hole, try inner.boxBlurred(radius: Int(reach)), isEmpty)
  }

  /// Draws the filling over the picture, weighted by `soft`.
  private func draw(_ detail: PatchDetail, _ smooth: Image, _ soft: Plane<UInt16>, _ image: inout Image, _ step: Int) {
    detail.patches.withUnsafeBufferPointer { patches in
      guard let first = patches.baseAddress else { return }
      // Sources lie outside the hole, where `smooth` is the original picture.
      var job = FillJob(
        patches: first, small: (soft.width, soft.height), amounts: UnsafePointer(soft.base), amountStride: soft.stride,
        source: smooth.base(),
        sourceStride: smooth.layout(0).bytesPerRow,
        target: image.mutableBase(),
        targetStride: image.layout(0).bytesPerRow, width: image.width, height: image.height, step: step,
        parts: 4 * workers.threadCount)
      workers.run(parts: job.parts, &job) { $0.draw($1) }
    }
    // The job holds the addresses of their memory.
    withExtendedLifetime((soft, smooth, image)) {}
  }
}

/// For each pixel of the small picture: the matching position in the picture, and the correction to add.
private struct PatchDetail {
  struct Patch {
    var x: Int32, y: Int32
    var color: SIMD4<Float>
  }
  var patches: [Patch]

  init(_ found: PatchFill, _ smooth: Image) {
    let (w, h) = (found.width, found.height)
    patches = Array(repeating: Patch(x: 0, y: 0, color: .zero), count: w * h)
    for i in patches.indices {
      let source = Int(found.match[i])
      guard source >= 0 else { continue }
      patches[i].x = Int32((source % w - i % w) * smooth.width / w)
      patches[i].y = Int32((source / w - i / w) * smooth.height / h)
      for k in 0..<3 { patches[i].color[k] = found.color(i)[k] - Float(found.pixels[4 * source + k]) }
    }
  }
}

/// Rows of the picture, for the threads.
private struct FillJob {
  let patches: UnsafePointer<PatchDetail.Patch>
  let small: (width: Int, height: Int)
  let amounts: UnsafePointer<UInt16>
  let amountStride: Int
  let source: UnsafePointer<UInt8>
  let sourceStride: Int
  let target: UnsafeMutablePointer<UInt8>
  let targetStride: Int
  let width: Int, height: Int, step: Int
  let parts: Int

  func draw(_ part: Int) {
    let scale = (Float(small.width) / Float(width), Float(small.height) / Float(height))
    for y in WorkerPool.share(part, of: height, in: parts) {
      let v = min(max((Float(y) + 0.5) * scale.1 - 0.5, 0), Float(small.height - 1))
      let (top, bottom) = (Int(v), min(Int(v) + 1, small.height - 1))
      let down = v - Float(top)
      let (upper, lower) = (amounts + top * amountStride, amounts + bottom * amountStride)
      for x in 0..<width {
        let u = min(max((Float(x) + 0.5) * scale.0 - 0.5, 0), Float(small.width - 1))
        let (left, right) = (Int(u), min(Int(u) + 1, small.width - 1))
        let across = u - Float(left)
        let above = Float(upper[left]) + (Float(upper[right]) - Float(upper[left])) * across
        let below = Float(lower[left]) + (Float(lower[right]) - Float(lower[left])) * across
        let amount = min((above + (below - above) * down) / 32768, 1)
        guard amount > 0 else { continue }
        let color =
          ((1 - across) * sample(top * small.width + left, x, y) + across * sample(top * small.width + right, x, y))
          * (1 - down)
          + ((1 - across) * sample(bottom * small.width + left, x, y)
            + across * sample(bottom * small.width + right, x, y)) * down
        let pixel = target + y * targetStride + x * step
        for k in 0..<3 {
          let own = Float(pixel[k])
          pixel[k] = UInt8(min(max(own + (color[k] - own) * amount, 0), 255) + 0.5)
        }
      }
    }
  }

  private func sample(_ index: Int, _ x: Int, _ y: Int) -> SIMD4<Float> {
    let patch = patches[index]
    let u = min(max(x + Int(patch.x), 0), width - 1), v = min(max(y + Int(patch.y), 0), height - 1)
    let pixel = source + v * sourceStride + u * step
    return SIMD4(Float(pixel[0]), Float(pixel[1]), Float(pixel[2]), 0) + patch.color
  }
}
