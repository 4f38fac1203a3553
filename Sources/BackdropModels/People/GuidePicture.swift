import BackdropImaging

/// The picture whose edges separate people, at the size of their matte.
struct GuidePicture {
  private let image: Image

  init(_ image: Image, width: Int, height: Int) throws(BackdropError) {
    var image = image
    if image.width != width || image.height != height {
      image = try image.scaled(toWidth: width, height: height, filter: image.width > width ? .area : .automatic)
    }
    self.image = image.format.isRGB ? image : image.converted(to: .bgra8, color: .jpeg)
  }

  struct Pixels {
    let base: UnsafePointer<UInt8>
    let stride: Int, bytes: Int, width: Int, height: Int
    let isSwapped: Bool

    /// The mean of a square of `step` × `step` pixels, 0…1; a large square uses only some of them.
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
    image.withUnsafeBytes { base in
      body(
        Pixels(
          base: base.assumingMemoryBound(to: UInt8.self), stride: image.layout(0).bytesPerRow,
          bytes: image.format == .rgb8 ? 3 : 4, width: image.width, height: image.height,
          isSwapped: image.format == .bgra8))
    }
  }
}
