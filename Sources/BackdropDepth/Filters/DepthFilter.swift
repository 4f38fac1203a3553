import BackdropImaging
import CBackdropKernels

/// Runs a ``DepthFilterChain`` over the maps of a stream.
///
/// It remembers what filters over time need, and forgets it when the size of the maps or their camera changes. Its memory
/// is reused: a stream of maps of one size allocates nothing. One stream, one filter: it is not safe to call from two
/// threads at once. At 640×480, `librealsense` takes about a millisecond on one core.
public final class DepthFilter {
  /// What is done.
  public let chain: DepthFilterChain
  /// Whether maps come out with ``DepthMap/confidence``; without, they have none, unless the chain does nothing.
  ///
  /// It begins with what the map brings, or with ``DepthMap/estimatedConfidence()``. `decimate` takes means, holes as 0;
  /// `temporal` multiplies by the part of the last 8 frames in which the pixel was valid and did not change, `steady` by ½ for
  /// the first frame of something to 1 for the longest mean. What they hold from earlier frames has up to 0.5, what other
  /// steps fill has 0.1, a hole has 0.
  public var estimatesConfidence = false
  private let kernels: bd_filter_kernels
  private let guideKernels: bd_guide_kernels
  private var plane: FilterPlane?
  private var smaller: FilterPlane?
  private var recursion = RecursiveFilter()
  private var past = TemporalFilter()
  private var edges = EdgeFilter()
  private var steady = SteadyFilter()
  private var guided = GuidedFilter()
  private var confidence = ConfidenceFilter()
  private var spare = DepthMap(checked: Plane(uninitializedWidth: 0, height: 0), intrinsics: nil, isRegistered: true)

  /// Makes a filter that has seen nothing.
  public convenience init(_ chain: DepthFilterChain) { self.init(chain, cpu: .current) }

  package init(_ chain: DepthFilterChain, cpu: CPULevel) {
    self.chain = chain
    kernels = cpu.kernels.filter
    guideKernels = cpu.kernels.guide
  }

  /// Forgets earlier frames, as at a cut.
  public func reset() {
    past.reset()
    steady.reset()
  }

  /// Cleans the next map of the stream.
  ///
  /// - Parameters:
  ///   - map: gets another size by `decimate` only.
  ///   - guide: the picture that the map belongs to, at any size, in any format but `gray16` and `grayFloat`, for `edges` and
  ///     `guided`. Not used if the map is not registered.
  public func apply(_ map: inout DepthMap, guide: Image? = nil) {
    guard !chain.steps.isEmpty else {
      if estimatesConfidence && map.confidence == nil { map.confidence = map.estimatedConfidence() }
      return
    }
    apply(map, guide: guide, into: &spare)
    swap(&map, &spare)
  }

  /// The same, into another map, whose memory is reused if it has the right size.
  public func apply(_ map: DepthMap, guide: Image? = nil, into result: inout DepthMap) {
    var camera = map.intrinsics
    guard map.width > 0 && map.height > 0 && !chain.steps.isEmpty else {
      result = map
      if estimatesConfidence && result.confidence == nil { result.confidence = result.estimatedConfidence() }
      return
    }
    var current = FilterPlane.fitting(&plane, map.width, map.height)
    map.metres.withUnsafePointer { from in
      for y in 0..<map.height { kernels.enter(from + y * map.metres.stride, map.width, current.row(y)) }
    }
    if estimatesConfidence { confidence.begin(current, map.confidence) }
    /// What metres are divided by, in disparity; `nil` in metres.
    var factor: Float?
    for step in chain.steps {
      switch step.kind {
      case .decimate:
        current = decimate(current, by: step.whole(0), camera: &camera)
      case .threshold:
        each(current) { kernels.limit($0, current.paddedWidth, step.value(0), step.value(1)) }
      case .disparity:
        let focal = camera?.scaled(toWidth: current.width, height: current.height).fx ?? Double(current.width)
        let made = Self.disparity(focal: focal, baseline: step.value(0))
        each(current) { kernels.invert($0, current.paddedWidth, made) }
        factor = made
      case .depth:
        if let made = factor { each(current) { kernels.invert($0, current.paddedWidth, made) } }
        factor = nil
      case .spatial:
        recursion.smooth(current, step, inDisparity: factor != nil, kernels)
      case .temporal:
        past.smooth(current, step, factor: factor, kernels)
      case .fill:
        fill(current, step.whole(0), farIsGreat: factor == nil)
      case .edges:
        edges.clean(current, reach: step.whole(0), guideKernels)
      case .steady:
        steady.smooth(current, most: step.whole(0), guideKernels)
      case .guided:
        let picture = map.isRegistered ? guide : nil
        guided.smooth(current, strength: step.value(0), picture: picture, guideKernels)
        // What nothing gets to, as a map of a single value far away from all.
        fill(current, 1, farIsGreat: true)
      }
      if estimatesConfidence { note(step, current) }
    }
    result.refill(current.width, current.height, like: map, camera: camera) { to, stride in
      for y in 0..<current.height { kernels.leave(current.row(y), current.width, to + y * stride) }
    }
    if estimatesConfidence { result.confidence = confidence.result(current.width, current.height) }
  }

  private func note(_ step: DepthFilterStep, _ plane: FilterPlane) {
    switch step.kind {
    case .decimate: confidence.decimate(plane, by: step.whole(0))
    case .temporal: confidence.note(plane, past.confidence)
    case .steady: confidence.note(plane, steady.confidence)
    case .threshold, .edges, .spatial, .fill, .guided: confidence.note(plane)
    case .disparity, .depth: break
    }
  }

  /// 1/32 pixel of disparity at a distance of 1 m, as librealsense counts it.
  private static func disparity(focal: Double, baseline: Float) -> Float {
    let factor = Float(focal) * baseline * 32
    // A camera of nonsense must not make infinities of depth.
    return factor > 1e-6 && factor < 1e12 ? factor : 1
  }

  private func each(_ plane: FilterPlane, _ body: (UnsafeMutablePointer<Float>) -> Void) {
    for y in 0..<plane.height { body(plane.row(y)) }
  }

  private func decimate(_ from: FilterPlane, by scale: Int, camera: inout Intrinsics?) -> FilterPlane {
    let (width, height) = (from.width / scale, from.height / scale)
    guard width > 0 && height > 0 else { return from }
    let to = FilterPlane.fitting(&smaller, width, height)
    for y in 0..<height {
      kernels.decimate(from.row(y * scale), from.stride, Int32(scale), width, to.row(y))
    }
    // What does not fill a whole pixel is cut off at the right and below.
    camera = camera?.scaled(toWidth: from.width, height: from.height)
      .cropped(x: 0, y: 0, width: width * scale, height: height * scale).scaled(toWidth: width, height: height)
    return to
  }

  /// As librealsense, whose first and last rows and first column stay as they are; then these, from what is beside them.
  private func fill(_ plane: FilterPlane, _ mode: Int, farIsGreat: Bool) {
    let isNearest = mode == 2
    for y in 0..<plane.height {
      if mode == 0 {
        kernels.fill_left(plane.row(y), plane.width)
      } else if y > 0 && y < plane.height - 1 {
        kernels.fill_around(
          plane.row(y), plane.row(y - 1), plane.row(y + 1), plane.width, isNearest == farIsGreat ? 1 : 0)
      }
    }
    var known: Int?
    for y in 0..<plane.height {
      let row = plane.row(y)
      kernels.stretch(row, plane.width, Int32(clamping: plane.width))
      // A row has either no hole now, or nothing else.
      if row[0] > 0 {
        if known == nil { for above in 0..<y { plane.row(above).update(from: row, count: plane.width) } }
        known = y
      } else if let known {
        row.update(from: plane.row(known), count: plane.width)
      }
    }
  }
}
