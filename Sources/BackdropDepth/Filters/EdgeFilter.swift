import BackdropImaging

extension DepthFilterKind {
  /// Turns pixels beside an edge or a hole into holes. They may be flying pixels between near and far, or the border by which near things
  /// are too wide. `guided`, after it, fills them by colour.
  public static let edges = Self(EdgeFilter.self)
}

/// The `edges` step: it keeps only pixels whose surroundings have similar depth.
///
/// Structured light and stereo compute a pixel's depth from a window. Within a few pixels of an edge the depth may be that of the other
/// side, or between both.
struct EdgeFilter: DepthFilterStage {
  static let name = "edges"
  static let parameters: [Parameter] = [
    .whole("reach", "pixels to discard beside an edge", in: 1...8, default: 2)
  ]
  static let traits: DepthFilterTraits = [.needsMetres, .needsHoles, .needsEdges]

  private let reach: Int
  private var least, greatest: FilterPlane?
  private var scratch: [Float] = []
  private var rows: [UnsafePointer<Float>?] = []

  /// Depths are similar up to this ratio: less than the step behind a person's edge, more than slopes and noise.
  private static let ratio: Float = 1.06

  init(_ step: DepthFilterStep) { reach = step.whole(0) }

  mutating func apply(to frame: inout FilterFrame) {
    let (plane, kernels) = (frame.plane, frame.guideKernels)
    let low = FilterPlane.fitting(&least, plane.width, plane.height)
    let high = FilterPlane.fitting(&greatest, plane.width, plane.height)
    let needed = plane.width + 2 * reach + 16
    if scratch.count < needed { scratch = [Float](repeating: 0, count: needed) }
    if rows.count != 4 * reach + 2 { rows = [UnsafePointer<Float>?](repeating: nil, count: 4 * reach + 2) }
    scratch.withUnsafeMutableBufferPointer { scratch in
      for y in 0..<plane.height {
        kernels.extremes(plane.row(y), plane.width, Int32(reach), low.row(y), high.row(y), scratch.baseAddress)
      }
    }
    rows.withUnsafeMutableBufferPointer { rows in
      // Never empty: there are twice a window's rows.
      guard let first = rows.baseAddress else { return }
      let window = 2 * reach + 1
      for y in 0..<plane.height {
        for i in 0..<window {
          let near = min(max(y + i - reach, 0), plane.height - 1)
          rows[i] = UnsafePointer(low.row(near))
          rows[window + i] = UnsafePointer(high.row(near))
        }
        kernels.distrust(plane.row(y), first, first + window, Int32(window), plane.width, Self.ratio)
      }
    }
  }
}
