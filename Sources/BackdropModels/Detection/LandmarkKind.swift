import BackdropImaging

/// Something that two MediaPipe networks find, such as a body: a detector finds its position and rotation, and a landmark network
/// examines it.
package protocol LandmarkKind {
  /// The detector's result, in pixels of the picture.
  associatedtype Found: Sendable
  /// The landmark network's result.
  associatedtype Shape

  /// The names and files of both networks.
  static var detector: LandmarkNetwork { get }
  static var landmarker: LandmarkNetwork { get }

  /// The description of the detector.
  static var design: AnchorDetector.Design { get }
  /// The result of a detection.
  static func found(_ detection: DetectionCandidate, by detector: AnchorDetector) -> Found

  /// The width and height of the landmark network's input.
  static var size: Int { get }
  /// The shapes of the outputs in use. Of several outputs with one shape, the network uses the first.
  static var outputs: [[Int]] { get }
  /// The square for the landmark network; `nil` if no picture can have such a square.
  static func square(round found: Found) -> TurnedSquare?
  /// The landmark network's result; `nil` for invalid values.
  ///
  /// - Parameter numbers: the values of ``outputs``, in order.
  static func shape(_ numbers: [UnsafeBufferPointer<Float>], in square: TurnedSquare) -> Shape?
}

/// One of the two networks of a kind.
package struct LandmarkNetwork: Sendable {
  /// The name in lists, a description in one line, and the licence and file name of its model.
  package let id: String, summary: String, licence: String, file: String
}

/// Finds bodies with a MediaPipe network, with the same results as MediaPipe's own runtime, within rounding.
///
/// Use it from one thread at a time.
package final class LandmarkDetector<Kind: LandmarkKind> {
  /// Its network's name and file.
  package static var network: LandmarkNetwork { Kind.detector }

  private let detector: AnchorDetector

  /// Opens the network's file.
  ///
  /// - Parameters:
  ///   - path: the model file; `nil` uses the network's file in `store`.
  ///   - threads: the threads of a run.
  /// - Throws: `unsupported` without a runtime or the file; `badData` for a file with other contents.
  package static func load(
    path: String? = nil, threads: Int = 1, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> LandmarkDetector {
    LandmarkDetector(try AnchorDetector.load(Kind.design, path: path, threads: threads, store: store))
  }

  private init(_ detector: AnchorDetector) { self.detector = detector }

  /// The detections in an upright picture of any format, the most confident first.
  ///
  /// - Parameter minimumScore: the minimum confidence, 0…1; MediaPipe uses 0.5.
  /// - Throws: `system` if the network fails to run.
  package func detect(in image: Image, minimumScore: Double = 0.5) throws(BackdropError) -> [Kind.Found] {
    guard image.width > 0 && image.height > 0 else { return [] }
    return try detect(in: image, square: nil, minimumScore: minimumScore)
  }

  /// The detections in a square of a nonempty upright picture.
  func detect(
    in image: Image, square: PictureSquare?, minimumScore: Double
  ) throws(BackdropError) -> [Kind.Found] {
    try detector.run(image, square: square, minimumScore: minimumScore)
    return detector.detections.map { Kind.found($0, by: detector) }
  }
}

/// Examines a result of ``LandmarkDetector`` with MediaPipe's landmark network: whether it is real, and its exact position.
///
/// Use it from one thread at a time.
package final class Landmarker<Kind: LandmarkKind> {
  /// Its network's name and file.
  package static var network: LandmarkNetwork { Kind.landmarker }

  private let network: Network
  /// The indices of the outputs in use.
  private let outputs: [Int]

  /// Opens the network's file.
  ///
  /// - Parameter path: the model file; `nil` uses the network's file in `store`.
  /// - Throws: `unsupported` without a runtime or the file; `badData` for a file with other contents.
  package static func load(
    path: String? = nil, threads: Int = 1, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> Landmarker {
    let file = Kind.landmarker.file
    let (network, path) = try Network.installed(file, path: path, threads: threads, store: store)
    let outputs = Kind.outputs.compactMap { shape in
      network.outputs.firstIndex { $0.shape == shape }.flatMap {
        network.output($0).count == shape.reduce(1, *) ? $0 : nil
      }
    }
    guard network.inputs.map(\.shape) == [[1, Kind.size, Kind.size, 3]], outputs.count == Kind.outputs.count else {
      let shapes = Kind.outputs.map { $0.map(String.init).joined(separator: "×") }.joined(separator: " and ")
      throw network.unlike("1×\(Kind.size)×\(Kind.size)×3 to \(shapes)", file: file, path: path)
    }
    return Landmarker(network, outputs)
  }

  private init(_ network: Network, _ outputs: [Int]) { (self.network, self.outputs) = (network, outputs) }

  /// The landmarks in an upright picture.
  ///
  /// - Parameter image: `rgba8`, `bgra8` or `rgb8`, not empty.
  /// - Returns: `nil` for a detection without a size, and for invalid values.
  /// - Throws: `system` if the network fails to run.
  package func shape(of found: Kind.Found, in image: Image) throws(BackdropError) -> Kind.Shape? {
    guard let square = Kind.square(round: found) else { return nil }
    // The shapes are checked, so none is empty.
    TurnedSampler.fill(network.input().baseAddress!, size: Kind.size, from: image, square: square)
    try network.run()
    return Kind.shape(outputs.map { network.output($0) }, in: square)
  }
}

/// Both networks of a kind.
package final class LandmarkNetworks<Kind: LandmarkKind> {
  /// The detector and the landmark network.
  package let detector: LandmarkDetector<Kind>, landmarker: Landmarker<Kind>

  /// Opens both networks' files.
  ///
  /// - Throws: `unsupported` without a runtime or a file; `badData` for a file with other contents.
  package static func load(
    threads: Int = 1, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> LandmarkNetworks {
    let detector = try LandmarkDetector<Kind>.load(threads: threads, store: store)
    return LandmarkNetworks(detector, try Landmarker.load(threads: threads, store: store))
  }

  private init(_ detector: LandmarkDetector<Kind>, _ landmarker: Landmarker<Kind>) {
    (self.detector, self.landmarker) = (detector, landmarker)
  }

  /// Whether both files are installed.
  package static func areInstalled(in store: ModelStore) -> Bool {
    [Kind.detector, Kind.landmarker].allSatisfy { store.path(of: $0.file) != nil }
  }

  /// Checks that the store has both files, before they are loaded.
  ///
  /// - Throws: `unsupported` for a missing file.
  static func check(_ store: ModelStore) throws(BackdropError) {
    for network in [Kind.detector, Kind.landmarker] { _ = try store.installed(network.file) }
  }

  /// The names of both networks.
  package static var ids: [String] { [Kind.detector.id, Kind.landmarker.id] }
}

extension AnchorDetector {
  /// The box of a detection, in pixels of the processed picture.
  func box(of detection: DetectionCandidate) -> Rect {
    let (corner, opposite) = (point(0, of: detection), point(2, of: detection))
    return Rect(x: corner.x, y: corner.y, width: opposite.x - corner.x, height: opposite.y - corner.y)
  }
}
