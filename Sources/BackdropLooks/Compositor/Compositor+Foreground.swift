import BackdropImaging
import BackdropMatting

extension Compositor {
  /// Pictures of more pixels are worked on in bands, so that what the estimator keeps stays small beside them.
  private static let wholePixels = 20_000_000
  private static let bands = 8
  /// Bands begin at multiples of this, so that the estimator's cells lie as in the whole picture.
  private static let cell = 128

  /// Whether the pictures are so large that what was needed for one step is not to be kept for the next.
  var isLarge: Bool { width * height > Self.wholePixels }

  /// What is behind, without what the matte covers.
  func estimateRoom(_ scene: Scene, into output: inout Image) throws(BackdropError) {
    guard isLarge else { return try estimator.estimateBackground(scene.frame, matte: scene.matte, into: &output) }
    try ForegroundEstimator(workers: workers, cpu: cpu).estimateBackground(
      scene.frame, matte: scene.matte, into: &output)
  }

  /// The foreground's own colours.
  ///
  /// Large pictures are done band by band. Colours come from near by, so bands that overlap by a part of their height agree
  /// where they meet.
  func estimateForeground(_ scene: Scene, into output: inout Image) throws(BackdropError) {
    guard isLarge else { return try estimator.estimate(scene.frame, matte: scene.matte, into: &output) }
    let frame = scene.frame
    let matte = scene.matte.asImage
    let overlap = height / (4 * Self.bands)
    let bandEstimator = ForegroundEstimator(workers: workers, cpu: cpu)
    for index in 0..<Self.bands {
      let rows = WorkerPool.share(index, of: height, in: Self.bands)
      let first = max(0, rows.lowerBound - overlap) / Self.cell * Self.cell
      let last = min(height, (rows.upperBound + overlap + Self.cell - 1) / Self.cell * Self.cell)
      let part = try frame.cropped(x: 0, y: first, width: width, height: last - first)
      var mask = Image(.gray16, width: width, height: last - first)
      let scale = Double(matte.height) / Double(height)
      try ImageScaler(
        .gray16, sourceWidth: matte.width, sourceHeight: matte.height,
        region: PixelRegion(
          x: 0, y: Double(first) * scale, width: Double(matte.width),
          height: min(Double(last - first) * scale, Double(matte.height) - Double(first) * scale)), width: width,
        height: last - first
      ).apply(matte, into: &mask, scratch: bandScratch)
      var made = Image(format, width: width, height: last - first, color: color)
      try bandEstimator.estimate(part, matte: Matte(q15: mask.plane(as: UInt16.self)), into: &made)
      output.copyRows(made, from: rows.lowerBound - first, count: rows.count, to: rows.lowerBound)
    }
  }
}

extension Image {
  /// Copies rows of an image of the same interleaved format and width.
  fileprivate mutating func copyRows(_ other: Image, from first: Int, count: Int, to target: Int) {
    let (source, own) = (other.layouts[0], layouts[0])
    other.withUnsafeBytes(plane: 0) { from in
      withUnsafeMutableBytes(plane: 0) { to in
        for y in 0..<count {
          (to + (target + y) * own.bytesPerRow)
            .copyMemory(from: from + (first + y) * source.bytesPerRow, byteCount: source.rowBytes)
        }
      }
    }
  }
}
