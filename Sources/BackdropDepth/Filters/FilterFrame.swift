import BackdropImaging
import CBackdropKernels

/// A map on its way through the filters of a chain.
struct FilterFrame {
  /// Metres or disparity; holes are 0.
  var plane: FilterPlane
  /// The camera of the map; of the one that came in, whatever the size of the plane, until a filter changes it.
  var camera: Intrinsics?
  /// The divisor of metres, in disparity; `nil` in metres.
  var factor: Float?
  /// The picture that the map belongs to, at any size.
  let guide: Image?
  let kernels: bd_filter_kernels
  let guideKernels: bd_guide_kernels
}
