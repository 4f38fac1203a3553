import BackdropImaging
import CBackdropKernels

/// The map's picture, at the map's size, in pixels of four bytes, three of which are colours.
struct ScaledGuide {
  private var scaler: ImageScaler?
  private let scratch = ScratchMemory()
  private var scaled, packed: Image?
  private var sampler: GuideSampler?

  /// Calls `body` with the first pixel and the row stride in pixels; `false` for a picture that cannot be scaled to that size.
  mutating func withPixels(
    of image: Image, width: Int, height: Int, _ kernels: bd_guide_kernels, _ body: (UnsafePointer<UInt32>, Int) -> Void
  ) -> Bool {
    if image.width == width && image.height == height && image.format.hasAlpha {
      read(image, body)
      return true
    }
    if image.format.hasAlpha && image.width <= 3 * width && image.height <= 3 * height {
      if sampler?.fits(image, width, height) != true { sampler = GuideSampler(image, width, height) }
      sampler?.sample(image, kernels, body)
      return true
    }
    do throws(BackdropError) {
      let fits =
        scaler?.format == image.format && scaler?.sourceWidth == image.width && scaler?.sourceHeight == image.height
        && scaler?.width == width && scaler?.height == height
      if !fits {
        scaler = try ImageScaler(
          image.format, sourceWidth: image.width, sourceHeight: image.height, width: width, height: height,
          filter: .bilinear)
        scaled = Image(image.format, width: width, height: height, color: image.color)
        packed = image.format.hasAlpha ? nil : Image(.bgra8, width: width, height: height)
      }
      guard let scaler, var small = scaled.take() else { return false }
      defer { scaled = small }
      try scaler.apply(image, into: &small, scratch: scratch)
      if var pixels = packed.take() {
        pixels.color = small.color
        small.convert(into: &pixels)
        read(pixels, body)
        packed = pixels
      } else {
        read(small, body)
      }
      return true
    } catch {
      // A size that no scaler supports: the map is filtered without the picture.
      return false
    }
  }

  private func read(_ image: Image, _ body: (UnsafePointer<UInt32>, Int) -> Void) {
    let stride = image.layout(0).bytesPerRow / 4
    image.withUnsafeBytes { body($0.assumingMemoryBound(to: UInt32.self), stride) }
  }
}

/// Reduces a picture of four bytes per pixel, using four source pixels for each: fast, and good enough to find colour
/// edges.
private struct GuideSampler {
  private let sourceWidth, sourceHeight, width, height: Int
  private let left, right, above, below: [Int32]
  private var row, pixels: [UInt32]

  init(_ image: Image, _ width: Int, _ height: Int) {
    (sourceWidth, sourceHeight) = (image.width, image.height)
    (self.width, self.height) = (width, height)
    (left, right) = Self.pairs(width, of: image.width)
    (above, below) = Self.pairs(height, of: image.height)
    row = [UInt32](repeating: 0, count: image.width)
    pixels = [UInt32](repeating: 0, count: width * height)
  }

  /// A quarter of a pixel's width on both sides of its middle.
  private static func pairs(_ count: Int, of source: Int) -> ([Int32], [Int32]) {
    let step = Double(source) / Double(count)
    func at(_ offset: Double) -> [Int32] {
      (0..<count).map { Int32(min(max(Int((Double($0) + 0.5 + offset) * step), 0), source - 1)) }
    }
    return (at(-0.25), at(0.25))
  }

  func fits(_ image: Image, _ width: Int, _ height: Int) -> Bool {
    image.width == sourceWidth && image.height == sourceHeight && width == self.width && height == self.height
  }

  mutating func sample(_ image: Image, _ kernels: bd_guide_kernels, _ body: (UnsafePointer<UInt32>, Int) -> Void) {
    let stride = image.layout(0).bytesPerRow / 4
    image.withUnsafeBytes { base in
      let from = base.assumingMemoryBound(to: UInt32.self)
      pixels.withUnsafeMutableBufferPointer { pixels in
        row.withUnsafeMutableBufferPointer { row in
          // A map has at least one pixel.
          guard let to = pixels.baseAddress else { return }
          for y in 0..<height {
            kernels.shrink(
              from + Int(above[y]) * stride, from + Int(below[y]) * stride, sourceWidth, left, right, width,
              to + y * width, row.baseAddress)
          }
          body(to, width)
        }
      }
    }
  }
}
