import BackdropImaging

/// Looks closely at a body that ``PoseDetector`` found, by MediaPipe's pose landmark network (*BlazePose*, Bazarevsky et al.,
/// 2020): is there one indeed, and where does it end? Its landmarks are not used here.
///
/// For one thread at a time.
package final class PoseLandmarker {
  /// The name it is listed by.
  package static let id = "pose-landmark"
  /// What it is, in one line, and the licence of its model file.
  package static let summary = "MediaPipe pose landmarks and outline, full", licence = "Apache-2.0"
  /// Name of the model file.
  package static let file = "pose_landmark_full.tflite"

  /// Width and height of the network's input and of its outline.
  private static let size = 256
  private let network: Network
  private let presenceOutput: Int, outlineOutput: Int

  /// Opens the network's file.
  ///
  /// - Parameter path: the model file; `nil` looks for ``file`` in `store`.
  /// - Throws: `unsupported` without a runtime or the file; `badData` if the file holds something else.
  package static func load(
    path: String? = nil, threads: Int = 1, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> PoseLandmarker {
    let (network, path) = try Network.installed(file, path: path, threads: threads, store: store)
    guard network.inputs.map(\.shape) == [[1, size, size, 3]],
      let presence = network.outputs.firstIndex(where: { $0.shape == [1, 1] }),
      let outline = network.outputs.firstIndex(where: { $0.shape == [1, size, size, 1] }),
      network.output(presence).count == 1, network.output(outline).count == size * size
    else {
      throw network.unlike("1×\(size)×\(size)×3 to 1×1 and 1×\(size)×\(size)×1", file: file, path: path)
    }
    return PoseLandmarker(network, presence: presence, outline: outline)
  }

  private init(_ network: Network, presence: Int, outline: Int) {
    self.network = network
    presenceOutput = presence
    outlineOutput = outline
  }

  /// What there is of a pose in an upright picture.
  ///
  /// - Parameter image: `rgba8`, `bgra8` or `rgb8`, not empty.
  /// - Returns: `nil` for a pose without a size.
  /// - Throws: `system` if the network does not run.
  package func look(at pose: DetectedPose, in image: Image) throws(BackdropError) -> BodyOutline? {
    guard let square = BodySquare(pose) else { return nil }
    // The shapes are checked, so none is empty.
    BodySampler.fill(network.input().baseAddress!, size: Self.size, from: image, square: square)
    try network.run()
    let presence = Double(network.output(presenceOutput)[0])
    // The network gives the logarithms of odds.
    return BodyOutline(
      presence: presence > 0 ? min(presence, 1) : 0, square: square,
      likelihood: network.output(outlineOutput).map { 1 / (1 + exponential(-$0)) }, side: Self.size)
  }
}
