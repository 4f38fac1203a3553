import BackdropImaging
import BackdropMatting

/// Makes up what lies behind a subject, from what lies round it.
///
/// Smooth colours come from all sides; on them patches that look alike carry the surroundings' texture on. They are found in a
/// small copy of the picture (``PatchFill``), and their fine detail is then taken from the picture itself. The matte is
/// widened first, so that nothing of the subject's edge is left. The same input gives the same result.
public struct BackgroundFill {
  /// Pixel formats that can be filled.
  public static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8]
  private static let longestSide = 400

  private let workers: WorkerPool
  private let cpu: CPULevel

  /// Makes a fill that runs on the threads of `workers`.
  public init(workers: WorkerPool) { self.init(workers: workers, cpu: .current) }

  package init(workers: WorkerPool, cpu: CPULevel) {
    self.workers = workers
    self.cpu = cpu
  }

  /// Replaces what the subject covers; what lies farther from it than the widening stays as it is, and so does alpha.
  ///
  /// - Parameters:
  ///   - image: upright, of one of ``formats``.
  ///   - subject: of any size; it covers the whole picture. If it covers nothing the picture stays.
  /// - Throws: `unsupported` for another format, `wrongArgument` if the matte is empty.
  public func fill(_ image: inout Image, where subject: Matte) throws(BackdropError) {
    guard Self.formats.contains(image.format) else {
      let known = Self.formats.map(\.rawValue).joined(separator: ", ")
      throw BackdropError(
        .unsupported, "cannot fill a hole in \(image.format.rawValue)", hint: "convert to one of \(known)")
    }
    guard subject.width > 0 && subject.height > 0 else { throw BackdropError(.wrongArgument, "the matte is empty") }
    let longest = max(image.width, image.height)
    let scale = min(1, Double(Self.longestSide) / Double(longest))
    let (w, h) = (
      max(1, Int((Double(image.width) * scale).rounded())), max(1, Int((Double(image.height) * scale).rounded()))
    )
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
    let found = PatchFill(filling: pixels, hole: isHole, width: w, height: h, kernels: cpu.kernels.views)
    draw(found, smooth, soft, &image, step)
  }

  /// The subject, everything softer than which is 0, widened: the hole, 0 or 32768, and how much of what is found there is
  /// taken, which is soft towards the outside.
  private static func widened(
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
    // So wide that the box that softens it does not reach the subject, diagonally either.
    let inner = try mask.dilated(.disc(radius: (1.5 * reach).rounded(.up)))
    let hole = try mask.dilated(.disc(radius: 2 * reach))
    return (hole, try inner.boxBlurred(radius: Int(reach)), isEmpty)
  }

  /// Patches' detail over what they say in the small picture, in the picture's own size.
  private func draw(_ found: PatchFill, _ smooth: Image, _ soft: Plane<UInt16>, _ image: inout Image, _ step: Int) {
    let (w, h) = (found.width, found.height)
    let (xs, ys) = (Double(w) / Double(image.width), Double(h) / Double(image.height))
    let (width, height) = (image.width, image.height)
    // Sources lie outside the hole, where `smooth` is the picture as it was.
    for y in 0..<height {
      let v = min(max((Double(y) + 0.5) * ys - 0.5, 0), Double(h - 1))
      let (top, bottom) = (Int(v), min(Int(v) + 1, h - 1))
      let down = Float(v - Double(top))
      let (upper, lower) = (soft.row(top), soft.row(bottom))
      var row = image.mutableRow(y)
      for x in 0..<width {
        let u = min(max((Double(x) + 0.5) * xs - 0.5, 0), Double(w - 1))
        let (left, right) = (Int(u), min(Int(u) + 1, w - 1))
        let across = Float(u - Double(left))
        let above = Float(upper[left]) + (Float(upper[right]) - Float(upper[left])) * across
        let below = Float(lower[left]) + (Float(lower[right]) - Float(lower[left])) * across
        let part = (above + (below - above) * down) / 32768
        guard part > 0 else { continue }
        var color = SIMD3<Float>.zero
        for (sx, sy, weight) in [
          (left, top, (1 - across) * (1 - down)), (right, top, across * (1 - down)),
          (left, bottom, (1 - across) * down),
          (right, bottom, across * down),
        ] where weight > 0 {
          color += weight * sample(found, smooth, sx, sy, x, y, step)
        }
        for k in 0..<3 {
          let own = Float(row[step * x + k])
          row[step * x + k] = UInt8(min(max(own + (color[k] - own) * min(part, 1), 0), 255) + 0.5)
        }
      }
    }
  }

  /// What the small picture's pixel says of the picture's pixel (x, y): its colour, and the detail of the pixel that it shows.
  private func sample(
    _ found: PatchFill, _ smooth: Image, _ sx: Int, _ sy: Int, _ x: Int, _ y: Int, _ step: Int
  ) -> SIMD3<Float> {
    let (w, h) = (found.width, found.height)
    let i = sy * w + sx
    let source = Int(found.match[i])
    guard source >= 0 else {
      // Outside the hole, or nothing to be had: the picture, or what is smooth.
      let row = smooth.row(y)
      return SIMD3(Float(row[step * x]), Float(row[step * x + 1]), Float(row[step * x + 2]))
    }
    let (fx, fy) = (source % w, source / w)
    let px = min(max(x + (fx - sx) * smooth.width / w, 0), smooth.width - 1)
    let py = min(max(y + (fy - sy) * smooth.height / h, 0), smooth.height - 1)
    let row = smooth.row(py)
    var color = SIMD3<Float>.zero
    for k in 0..<3 {
      let detail = Float(row[step * px + k]) - Float(found.pixels[4 * source + k])
      color[k] = Float(found.pixels[4 * i + k]) + detail
    }
    return color
  }
}
