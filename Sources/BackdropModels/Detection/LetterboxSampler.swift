import BackdropImaging

/// Samples a picture of any shape, or a square of it, for a network's square input, as MediaPipe does. The area beyond the picture is
/// black.
///
/// MediaPipe's *ImageToTensorCalculator* calls OpenCV's `warpPerspective` with `INTER_LINEAR` and a constant border. Each sample is
/// bilinear between four neighbours, without a filter, at a position rounded to 1/32 pixel. The corner of the input, not the middle of its
/// first pixel, maps to the corner of the picture. A mean over areas would scale better, but would move the boxes by several pixels.
struct LetterboxSampler {
  /// Width and height of the input.
  let size: Int
  private(set) var width = 0, height = 0
  private(set) var square = PictureSquare(x: 0, y: 0, side: 0)
  private var columns: [Tap] = [], rows: [Tap] = []

  /// Two neighbours and their weights in parts of 32; the weight is 0 for one outside the picture.
  struct Tap: Equatable {
    var first, second: Int
    var firstWeight, secondWeight: Int32
  }

  init(size: Int) { self.size = size }

  /// Prepares for a square of pictures of that size; `nil` for the smallest square centred on the whole picture.
  mutating func prepare(width: Int, height: Int, square: PictureSquare? = nil) {
    let square = square ?? PictureSquare(around: width, height)
    guard width != self.width || height != self.height || square != self.square else { return }
    (self.width, self.height, self.square) = (width, height, square)
    columns = (0..<size).map { tap($0, side: width, start: square.x) }
    rows = (0..<size).map { tap($0, side: height, start: square.y) }
  }

  private func tap(_ index: Int, side: Int, start: Double) -> Tap {
    let position = Int((32 * start + 32 * Double(index) * square.side / Double(size)).rounded(.toNearestOrEven))
    let (whole, part) = (position >> 5, Int32(position & 31))
    let hasFirst = whole >= 0 && whole < side
    let hasSecond = whole >= -1 && whole < side - 1
    return Tap(
      first: hasFirst ? whole : 0, second: hasSecond ? whole + 1 : 0, firstWeight: hasFirst ? 32 - part : 0,
      secondWeight: hasSecond ? part : 0)
  }

  /// Writes `size` × `size` pixels of R′, G′, B′, from `darkest` for black to 1 for white; `image` is `rgba8`, `bgra8` or `rgb8`, of the
  /// prepared size.
  func fill(_ out: UnsafeMutablePointer<Float>, from image: Image, darkest: Float = -1) {
    precondition(image.width == width && image.height == height, "a picture of another size")
    let step = image.format == .rgb8 ? 3 : 4
    let (red, blue) = image.format == .bgra8 ? (2, 0) : (0, 2)
    let stride = image.layout(0).bytesPerRow
    let scale = (1 - darkest) / 255
    image.withUnsafeBytes { base in
      columns.withUnsafeBufferPointer { columns in
        var to = out
        for row in rows {
          let upper = (base + row.first * stride).assumingMemoryBound(to: UInt8.self)
          let lower = (base + row.second * stride).assumingMemoryBound(to: UInt8.self)
          for column in columns {
            let (left, right) = (column.first * step, column.second * step)
            func sample(_ channel: Int) -> Float {
              let top =
                Int32(upper[left + channel]) &* column.firstWeight &+ Int32(upper[right + channel])
                &* column.secondWeight
              let bottom =
                Int32(lower[left + channel]) &* column.firstWeight &+ Int32(lower[right + channel])
                &* column.secondWeight
              let value = (top &* row.firstWeight &+ bottom &* row.secondWeight &+ 512) >> 10
              return Float(value) * scale + darkest
            }
            to[0] = sample(red)
            to[1] = sample(1)
            to[2] = sample(blue)
            to += 3
          }
        }
      }
    }
  }
}
