import BackdropImaging
import CBackdropKernels

/// Planes of one size without padding, initially zero: the memory of a plate and of its ratios.
final class PlatePlanes {
  let width: Int, height: Int, count: Int
  private let planeCount: Int
  private let samples: ZeroedMemory<Float>

  init(width: Int, height: Int, planes: Int) {
    self.width = width
    self.height = height
    count = width * height
    planeCount = planes
    samples = ZeroedMemory(count: count * planes)
  }

  /// The samples of a plane in row order.
  subscript(plane: Int) -> UnsafeMutablePointer<Float> {
    precondition(plane >= 0 && plane < planeCount, "no such plane")
    return samples.base + plane * count
  }

  /// The mean over 3×3 samples of `source`, edges replicated; `target` may be `source`.
  func mean(_ source: Int, into target: Int, sums: UnsafeMutablePointer<Float>, _ kernels: bd_plate_kernels) {
    let from = self[source], to = self[target]
    // Columns go into `sums` first, so that the source can be overwritten row by row.
    for y in 0..<height {
      let above = from + max(0, y - 1) * width, below = from + min(height - 1, y + 1) * width
      kernels.add(above, from + y * width, below, width, sums + y * width)
    }
    for y in 0..<height { kernels.across(sums + y * width, width, 1 / 9, to + y * width) }
  }
}
