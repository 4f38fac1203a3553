import BackdropImaging
import CBackdropKernels

extension DepthFilterKind {
  /// Smooths within surfaces: a recursive mean along rows and columns that restarts at each edge (Gastal and Oliveira, "Domain Transform
  /// for Edge-Aware Image and Video Processing", SIGGRAPH 2011).
  public static let spatial = Self(SpatialFilter.self)
}

/// The `spatial` step: exponential means along rows and columns in both directions, which restart at edges.
struct SpatialFilter: DepthFilterStage {
  static let name = "spatial"
  static let parameters: [Parameter] = [
    .whole("magnitude", "number of passes", in: 1...5, default: 2),
    .number("alpha", "weight of the pixel itself; 1 does nothing", in: 0.25...1, default: 0.5),
    .number(
      "delta", "the smallest step that counts as an edge, in 1/32 pixel of disparity or mm of depth", in: 1...50,
      default: 20),
    .whole(
      "holes", "how far to fill holes along rows: 0 not at all, then 2, 4, 8 or 16 pixels, 5 without limit", in: 0...5,
      default: 0),
  ]
  static let traits: DepthFilterTraits = .smooths

  private let rounds: Int
  private let alpha, delta: Float
  private let reach: Int
  private var scratch: FilterPlane?

  /// The number of pixels that `holes` fills: librealsense's 2, 4, 8, 16 pixels and 255 include the one after the last.
  private static let reaches = [0, 1, 3, 7, 15, 254]

  init(_ step: DepthFilterStep) {
    rounds = step.whole(0)
    (alpha, delta) = (step.value(1), step.value(2))
    reach = Self.reaches[step.whole(3)]
  }

  mutating func apply(to frame: inout FilterFrame) {
    let (plane, kernels, inDisparity) = (frame.plane, frame.kernels, frame.disparityFactor != nil)
    // Depth steps are in mm.
    var line = bd_filter_line(alpha: alpha, delta: inDisparity ? delta : delta * 0.001, raw: inDisparity ? 1 : 0)
    let strip = Int(BD_FILTER_STRIP)
    let rows = FilterPlane.fitting(&scratch, plane.paddedWidth, strip)
    let width = plane.paddedWidth
    for _ in 0..<rounds {
      for y in Swift.stride(from: 0, to: plane.height, by: strip) {
        kernels.along_rows(plane.row(y), plane.stride, Int32(min(strip, plane.height - y)), width, &line, rows.base)
      }
      if !inDisparity && reach > 0 { stretch(plane, kernels) }
      kernels.across_rows(plane.base, plane.stride, Int32(plane.height), width, &line)
    }
    if inDisparity && reach > 0 { stretch(plane, kernels) }
  }

  private func stretch(_ plane: FilterPlane, _ kernels: bd_filter_kernels) {
    plane.forEachRow { kernels.stretch($0, plane.width, Int32(reach)) }
  }
}
