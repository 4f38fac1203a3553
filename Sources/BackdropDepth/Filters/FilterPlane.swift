import Libc

/// A plane of floats in the kernels' layout: rows start at a cache line, with a zero before them, and are padded with zeros to whole
/// vectors.
final class FilterPlane {
  let width, height: Int
  /// Width in whole vectors.
  let paddedWidth: Int
  let stride: Int
  /// The sample (0, 0).
  let base: UnsafeMutablePointer<Float>
  private let memory: UnsafeMutableRawPointer

  private static let margin = 16

  init(width: Int, height: Int, repeating value: Float = 0) {
    self.width = width
    self.height = height
    paddedWidth = (width + 15) / 16 * 16
    stride = paddedWidth + Self.margin
    let count = stride * height + 2 * Self.margin
    memory = .allocate(byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
    base = memory.initializeMemory(as: Float.self, repeating: value, count: count) + Self.margin
  }

  deinit { memory.deallocate() }

  func row(_ y: Int) -> UnsafeMutablePointer<Float> { base + y * stride }

  func forEachRow(_ body: (UnsafeMutablePointer<Float>) -> Void) {
    for y in 0..<height { body(row(y)) }
  }

  /// A plane of that size: `plane` if it fits, or a new one in its place, filled with `value`.
  static func fitting(
    _ plane: inout FilterPlane?, _ width: Int, _ height: Int, repeating value: Float = 0
  ) -> FilterPlane {
    if let plane, plane.width == width, plane.height == height { return plane }
    let made = FilterPlane(width: width, height: height, repeating: value)
    plane = made
    return made
  }
}
