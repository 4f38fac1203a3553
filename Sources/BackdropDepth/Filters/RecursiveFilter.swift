import CBackdropKernels

/// The `spatial` step: exponential means along rows and columns, both ways, that begin anew at edges.
struct RecursiveFilter {
  private var scratch: FilterPlane?
  private var unfiltered: FilterPlane?

  /// Pixels that `holes` fills: librealsense's 2, 4, 8, 16 pixels and 255 count the one after the last.
  private static let reaches = [0, 1, 3, 7, 15, 254]

  mutating func smooth(_ plane: FilterPlane, _ step: DepthFilterStep, inDisparity: Bool, _ kernels: bd_filter_kernels) {
    // Steps of depth are counted in mm.
    let delta = inDisparity ? step.value(2) : step.value(2) * 0.001
    var line = bd_filter_line(alpha: step.value(1), delta: delta, raw: inDisparity ? 1 : 0)
    let reach = Self.reaches[step.whole(3)]
    let strip = Int(BD_FILTER_STRIP)
    let rows = FilterPlane.fitting(&scratch, plane.paddedWidth, strip)
    let last = FilterPlane.fitting(&unfiltered, plane.paddedWidth, 1)
    let width = plane.paddedWidth
    for _ in 0..<step.whole(0) {
      for y in Swift.stride(from: 0, to: plane.height, by: strip) {
        kernels.along_rows(plane.row(y), plane.stride, Int32(min(strip, plane.height - y)), width, &line, rows.base)
      }
      if !inDisparity && reach > 0 { stretch(plane, reach, kernels) }
      last.base.update(from: plane.row(0), count: width)
      for y in 1..<max(plane.height, 1) { kernels.across_rows(plane.row(y), plane.row(y - 1), last.base, width, &line) }
      last.base.update(from: plane.row(plane.height - 1), count: width)
      for y in Swift.stride(from: plane.height - 2, through: 0, by: -1) {
        kernels.across_rows(plane.row(y), plane.row(y + 1), last.base, width, &line)
      }
    }
    if inDisparity && reach > 0 { stretch(plane, reach, kernels) }
  }

  private func stretch(_ plane: FilterPlane, _ reach: Int, _ kernels: bd_filter_kernels) {
    for y in 0..<plane.height { kernels.stretch(plane.row(y), plane.width, Int32(reach)) }
  }
}
