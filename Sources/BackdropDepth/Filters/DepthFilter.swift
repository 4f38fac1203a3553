import BackdropImaging
import CBackdropKernels

/// Runs a ``DepthFilterChain`` over the maps of a stream.
///
/// It remembers what filters over time need, and forgets it when the size of the maps or their camera changes. Its memory
/// is reused: a stream of maps of one size allocates nothing. One stream, one filter: it is not safe to call from two
/// threads at once. At 640×480, `librealsense` takes about a millisecond on one core.
public final class DepthFilter {
  /// The operation.
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
  private var stages: [any DepthFilterStage]
  private var confidence = ConfidenceFilter()
  private var spare = DepthMap(checked: Plane(uninitializedWidth: 0, height: 0), intrinsics: nil, isRegistered: true)

  /// Makes a filter that has seen nothing.
  public convenience init(_ chain: DepthFilterChain) { self.init(chain, cpu: .current) }

  package init(_ chain: DepthFilterChain, cpu: CPULevel) {
    self.chain = chain
    kernels = cpu.kernels.filter
    guideKernels = cpu.kernels.guide
    stages = chain.steps.map { $0.kind.stage.init($0) }
  }

  /// Forgets earlier frames, as at a cut.
  public func reset() {
    for index in stages.indices { stages[index].reset() }
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
    guard map.width > 0 && map.height > 0 && !chain.steps.isEmpty else {
      result = map
      if estimatesConfidence && result.confidence == nil { result.confidence = result.estimatedConfidence() }
      return
    }
    let entered = FilterPlane.fitting(&plane, map.width, map.height)
    map.metres.withUnsafePointer { from in
      for y in 0..<map.height { kernels.enter(from + y * map.metres.stride, map.width, entered.row(y)) }
    }
    if estimatesConfidence { confidence.begin(entered, map.confidence) }
    var frame = FilterFrame(
      plane: entered, camera: map.intrinsics, guide: map.isRegistered ? guide : nil, kernels: kernels,
      guideKernels: guideKernels)
    for index in stages.indices {
      stages[index].apply(to: &frame)
      if estimatesConfidence { stages[index].note(frame.plane, in: &confidence) }
    }
    let plane = frame.plane
    result.refill(plane.width, plane.height, like: map, camera: frame.camera) { to, stride in
      for y in 0..<plane.height { kernels.leave(plane.row(y), plane.width, to + y * stride) }
    }
    if estimatesConfidence { result.confidence = confidence.result(plane.width, plane.height) }
  }
}
