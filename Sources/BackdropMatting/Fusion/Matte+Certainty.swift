import BackdropDepth
import BackdropImaging
import CBackdropKernels

extension Matte {
  /// How much of what is taken for a person, wholly or in part, is not in doubt: 1 where all samples are 0 or 1, 0 where all are one
  /// half, and 1 for nobody.
  public var certainty: Double {
    let (width, height, stride) = (self.width, self.height, q15.stride)
    let kernels = CPULevel.current.kernels.steady
    var (sum, doubt) = (0 as UInt64, 0 as UInt64)
    q15.withUnsafePointer { samples in
      for y in 0..<height {
        sum += kernels.sum(samples + y * stride, width)
        doubt += kernels.doubt(samples + y * stride, width)
      }
    }
    return sum > 0 ? 1 - Double(doubt) / Double(sum) : 1
  }
}
