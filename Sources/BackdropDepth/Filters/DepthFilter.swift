import BackdropImaging
import CBackdropKernels

/// Runs a ``DepthFilterChain`` over the maps of a stream.
///
/// It keeps the state of filters over time, and clears it when the size of the maps or their camera changes. It reuses memory: a stream of
/// maps of one size allocates nothing. Use one filter for one stream. It is not safe to call from two threads at once.
package final class DepthFilter {
  package let chain: DepthFilterChain
  /// Whether to compute ``DepthMap/confidence`` of results; without it, they have none, unless the chain does nothing.
  ///
  /// It begins with the map's own, or with ``DepthMap/estimatedConfidence()``. `decimate` takes means, with holes as 0; `temporal`
  /// multiplies by the part of the last 8 frames in which the pixel was valid and unchanged, `steady` by ½ for a value's first frame up to
  /// 1 for the longest mean. Values held from earlier frames have at most 0.5, values filled by other steps 0.1, and holes 0.
  package var estimatesConfidence = false
  private let kernels: bd_filter_kernels
  private let guideKernels: bd_guide_kernels
  private var plane: FilterPlane?
  private var stages: [any DepthFilterStage]
  private var confidence = ConfidenceEstimator()
  private var spare = DepthMap(checked: Plane(uninitializedWidth: 0, height: 0), intrinsics: nil, isRegistered: true)

  package init(_ chain: DepthFilterChain, cpu: CPULevel = .current) {
    self.chain = chain
    kernels = cpu.kernels.filter
    guideKernels = cpu.kernels.guide
    stages = chain.steps.map { $0.kind.stage.init($0) }
  }

  /// Clears the memory of earlier frames, for example at a cut.
  package func reset() {
    for index in stages.indices { stages[index].reset() }
  }

  /// Filters the next map of the stream; only `decimate` changes its size. `guide`, for `edges` and `guided`, is the map's picture, at any
  /// size, in any format but `gray16` and `grayFloat`; it is ignored if the map is not registered.
  package func apply(_ map: inout DepthMap, guide: Image? = nil) {
    guard !chain.steps.isEmpty else {
      if estimatesConfidence && map.confidence == nil { map.confidence = map.estimatedConfidence() }
      return
    }
    apply(map, guide: guide, into: &spare)
    swap(&map, &spare)
  }

  /// The same, into another map, whose memory is reused if it has the right size.
  package func apply(_ map: DepthMap, guide: Image? = nil, into result: inout DepthMap) {
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
      if estimatesConfidence { stages[index].update(frame.plane, in: &confidence) }
    }
    let plane = frame.plane
    result.refill(plane.width, plane.height, like: map, camera: frame.camera) { to, stride in
      for y in 0..<plane.height { kernels.leave(plane.row(y), plane.width, to + y * stride) }
    }
    if estimatesConfidence { result.confidence = confidence.result(plane.width, plane.height) }
  }
}
