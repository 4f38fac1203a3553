import BackdropDepth
import BackdropImaging
import CBackdropKernels

extension Matte {
  /// The distance of opacities from one half, weighted by opacity: 1 if all samples are 0 or 1, 0 if all are one half,
  /// and 1 for nobody.
  package var certainty: Double {
    let (width, height, stride) = (self.width, self.height, q15.stride)
    let kernels = CPULevel.current.kernels.temporal
    var (sum, uncertainty) = (0 as UInt64, 0 as UInt64)
    q15.withUnsafePointer { samples in
      for y in 0..<height {
        sum += kernels.sum(samples + y * stride, width)
        uncertainty += kernels.uncertainty(samples + y * stride, width)
      }
    }
    return sum > 0 ? 1 - Double(uncertainty) / Double(sum) : 1
  }
}
