import BackdropImaging

/// One of the two networks of ``BodyLandmarks``.
package struct LandmarkNetwork: Sendable {
  package let id: String, summary: String, licence: String, file: String
}

/// Finds bodies with a MediaPipe network, with the same results as MediaPipe's own runtime, within rounding.
///
/// Use it from one thread at a time.
package final class LandmarkDetector {
  private let detector: AnchorDetector

  /// Opens the network's file.
  ///
  /// - Throws: `unsupported` without a runtime or the file; `badData` for a file with other contents.
  package init(threads: Int = 1, store: ModelStore = ModelStore()) throws(BackdropError) {
    detector = try AnchorDetector(BodyLandmarks.design, threads: threads, store: store)
  }

  /// The detections in an upright picture of any format, or in a `square` of it, the most confident first, with a confidence of at least
  /// `minimumScore`, 0…1; MediaPipe uses 0.5.
  ///
  /// - Throws: `system` if the network fails to run.
  package func detect(
    in image: Image, square: PictureSquare? = nil, minimumScore: Double = 0.5
  ) throws(BackdropError) -> [DetectedPose] {
    try detector.run(image, square: square, minimumScore: minimumScore)
    return detector.detections.map { found in
      DetectedPose(
        head: detector.box(of: found), score: Double(found.score), hips: detector.point(4, of: found),
        crown: detector.point(6, of: found))
    }
  }
}

/// Examines a result of ``LandmarkDetector`` with MediaPipe's landmark network: whether it is real, and its exact position.
///
/// Use it from one thread at a time.
package final class Landmarker {
  private let network: Network
  /// The indices of the outputs in use.
  private let outputs: [Int]

  /// Opens the network's file.
  ///
  /// - Throws: `unsupported` without a runtime or the file; `badData` for a file with other contents.
  package init(threads: Int = 1, store: ModelStore = ModelStore()) throws(BackdropError) {
    let file = BodyLandmarks.landmarker.file
    let network = try Network.installed(file, threads: threads, store: store)
    let outputs = BodyLandmarks.outputs.compactMap { shape in
      network.outputs.firstIndex { $0.shape == shape }.flatMap {
        network.output($0).count == shape.reduce(1, *) ? $0 : nil
      }
    }
    guard network.inputs.map(\.shape) == [[1, BodyLandmarks.size, BodyLandmarks.size, 3]],
      outputs.count == BodyLandmarks.outputs.count
    else {
      let shapes = BodyLandmarks.outputs.map { $0.map(String.init).joined(separator: "×") }.joined(separator: " and ")
      throw network.unlike("1×\(BodyLandmarks.size)×\(BodyLandmarks.size)×3 to \(shapes)", file: file, store)
    }
    (self.network, self.outputs) = (network, outputs)
  }

  /// The landmarks in an upright picture, `rgba8`, `bgra8` or `rgb8`, not empty; `nil` for a detection without a size.
  ///
  /// - Throws: `system` if the network fails to run.
  package func shape(of found: DetectedPose, in image: Image) throws(BackdropError) -> BodyOutline? {
    guard let square = TurnedSquare(found) else { return nil }
    // The shapes are checked, so none is empty.
    TurnedSampler.fill(network.input().baseAddress!, size: BodyLandmarks.size, from: image, square: square)
    try network.run()
    return BodyLandmarks.shape(outputs.map { network.output($0) }, in: square)
  }
}

package struct LandmarkNetworks {
  package let detector: LandmarkDetector, landmarker: Landmarker

  /// Opens both networks' files.
  ///
  /// - Throws: `unsupported` without a runtime or a file; `badData` for a file with other contents.
  package init(threads: Int, store: ModelStore) throws(BackdropError) {
    detector = try LandmarkDetector(threads: threads, store: store)
    landmarker = try Landmarker(threads: threads, store: store)
  }

  private static let all = [BodyLandmarks.detector, BodyLandmarks.landmarker]

  package static func areInstalled(in store: ModelStore) -> Bool {
    all.allSatisfy { store.path(of: $0.file) != nil }
  }

  /// Checks that the store has both files, before they are loaded.
  ///
  /// - Throws: `unsupported` for a missing file.
  static func check(_ store: ModelStore) throws(BackdropError) {
    for network in all { _ = try store.installed(network.file) }
  }

  package static var ids: [String] { all.map(\.id) }
}
