import BackdropImaging
import CBackdropKernels

/// A map that passes through the filters of a chain.
struct FilterFrame {
  /// Metres or disparity; holes are 0.
  var plane: FilterPlane
  /// The camera of the original map, at any size of the plane, until a filter changes it.
  var camera: Intrinsics?
  /// The factor between metres and disparity; `nil` in metres.
  var disparityFactor: Float?
  /// The map's picture, at any size.
  let guide: Image?
  let kernels: bd_filter_kernels
  let guideKernels: bd_guide_kernels
}
