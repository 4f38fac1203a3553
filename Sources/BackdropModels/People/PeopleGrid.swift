import BackdropDepth
import BackdropImaging

/// A matte and its picture on squares of `step` × `step` pixels: what is decided coarsely is decided here.
struct PeopleGrid {
  /// The longer side has half of this many squares, or more, and at most this many.
  static let largestSide = 320

  /// Squares in a row, and rows.
  let width: Int, height: Int
  /// Pixels of the matte along the side of a square: a power of two.
  let step: Int
  /// Size of the matte.
  let matteWidth: Int, matteHeight: Int
  /// The matte's mean, 0…1.
  var opacity: [Float]
  /// Mean red, green and blue, 0…1.
  var color: [SIMD3<Float>]
  /// Inverse metres; 0 where they are not known. Empty without depth.
  var disparity: [Float] = []

  var count: Int { width * height }

  init(_ matte: Matte, _ guide: GuidePicture, depth: DepthMap?) {
    var step = 1
    while max(matte.width, matte.height) > Self.largestSide * step { step *= 2 }
    (self.step, matteWidth, matteHeight) = (step, matte.width, matte.height)
    (width, height) = ((matte.width + step - 1) / step, (matte.height + step - 1) / step)
    opacity = [Float](repeating: 0, count: width * height)
    color = [SIMD3<Float>](repeating: .zero, count: width * height)
    let stride = matte.q15.stride
    // Of large squares every other pixel will do.
    let skip = max(1, step / 4)
    matte.q15.withUnsafePointer { samples in
      guide.withPixels { pixels in
        for y in 0..<height {
          for x in 0..<width {
            var (sum, count) = (0, 0)
            for row in Swift.stride(from: y * step, to: min((y + 1) * step, matte.height), by: skip) {
              for column in Swift.stride(from: x * step, to: min((x + 1) * step, matte.width), by: skip) {
                sum += Int(min(samples[row * stride + column], Matte.one))
                count += 1
              }
            }
            opacity[y * width + x] = Float(sum) / Float(32768 * count)
            color[y * width + x] = pixels.mean(x, y, step: step)
          }
        }
      }
    }
    guard let depth, depth.width > 0 && depth.height > 0 else { return }
    disparity = [Float](repeating: 0, count: width * height)
    for y in 0..<height {
      let row = depth.metres.row(min(depth.height - 1, (2 * y + 1) * step * depth.height / (2 * matte.height)))
      for x in 0..<width {
        let metres = row[min(depth.width - 1, (2 * x + 1) * step * depth.width / (2 * matte.width))]
        if metres > 0 { disparity[y * width + x] = 1 / metres }
      }
    }
  }

  /// The middle of a square in a picture of another size.
  func point(_ index: Int, width pictureWidth: Int, height pictureHeight: Int) -> SIMD2<Double> {
    let (x, y) = (Double(index % width) + 0.5, Double(index / width) + 0.5)
    return SIMD2(
      x * Double(step) / Double(matteWidth) * Double(pictureWidth),
      y * Double(step) / Double(matteHeight) * Double(pictureHeight))
  }
}

/// The picture to whose edges people are told apart, at the size of their matte.
struct GuidePicture {
  private let image: Image
  private let isSwapped: Bool
  private let bytes: Int

  /// Brings a picture to a matte's size.
  init(_ image: Image, width: Int, height: Int) throws(BackdropError) {
    var image = image
    if image.width != width || image.height != height {
      image = try image.scaled(toWidth: width, height: height, filter: image.width > width ? .area : .automatic)
    }
    switch image.format {
    case .rgba8, .bgra8, .rgb8: self.image = image
    default: self.image = image.converted(to: .bgra8, color: .jpeg)
    }
    isSwapped = self.image.format == .bgra8
    bytes = self.image.format == .rgb8 ? 3 : 4
  }

  struct Pixels {
    let base: UnsafePointer<UInt8>
    let stride: Int, bytes: Int, width: Int, height: Int
    let isSwapped: Bool

    /// The mean of a square of `step` × `step` pixels, 0…1; of large ones some of the pixels.
    @inline(__always) func mean(_ x: Int, _ y: Int, step: Int) -> SIMD3<Float> {
      var sum = SIMD3<Int32>.zero
      var count: Int32 = 0
      let skip = Swift.max(1, step / 4)
      for row in Swift.stride(from: y * step, to: Swift.min((y + 1) * step, height), by: skip) {
        let line = base + row * stride
        for column in Swift.stride(from: x * step, to: Swift.min((x + 1) * step, width), by: skip) {
          let pixel = line + column * bytes
          sum &+= SIMD3(Int32(pixel[0]), Int32(pixel[1]), Int32(pixel[2]))
          count &+= 1
        }
      }
      let mean = SIMD3<Float>(sum) / Float(255 * Swift.max(1, count))
      return isSwapped ? SIMD3(mean.z, mean.y, mean.x) : mean
    }
  }

  func withPixels<Result>(_ body: (Pixels) -> Result) -> Result {
    let stride = image.layout(0).bytesPerRow
    return image.withUnsafeBytes { base in
      body(
        Pixels(
          base: base.assumingMemoryBound(to: UInt8.self), stride: stride, bytes: bytes, width: image.width,
          height: image.height, isSwapped: isSwapped))
    }
  }
}
