import BackdropImaging

/// What MediaPipe finds by two networks, a body or a hand: a detector says where one is and how it is turned, and a landmark network looks
/// closely at that place.
package protocol LandmarkKind {
  /// The detector's result, in pixels of the picture.
  associatedtype Found: Sendable
  /// The landmark network's result.
  associatedtype Shape

  /// The names and files of both networks.
  static var detector: LandmarkNetwork { get }
  static var landmarker: LandmarkNetwork { get }

  /// The purpose of the detector.
  static var design: AnchorDetector.Design { get }
  /// The result of a detection.
  static func found(_ detection: DetectionCandidate, by detector: AnchorDetector) -> Found

  /// Width and height of the landmark network's input.
  static var size: Int { get }
  /// The shapes of what is read of its outputs: of each the first.
  static var outputs: [[Int]] { get }
  /// The square that the landmark network looks at; `nil` where there is none that a picture can have.
  static func square(round found: Found) -> TurnedSquare?
  /// Its result there; `nil` for invalid numbers.
  ///
  /// - Parameter numbers: of ``outputs``, in their order.
  static func shape(_ numbers: [UnsafeBufferPointer<Float>], in square: TurnedSquare) -> Shape?
}

/// One of the two networks of a kind.
package struct LandmarkNetwork: Sendable {
  /// The name it is listed by, what it is in one line, and the licence and the name of its model file.
  package let id: String, summary: String, licence: String, file: String
}

/// Finds bodies, or hands, by a network that MediaPipe brings, with the same results as MediaPipe's own runtime, within rounding.
///
/// For one thread at a time.
package final class LandmarkDetector<Kind: LandmarkKind> {
  /// Its network's name and file.
  package static var network: LandmarkNetwork { Kind.detector }

  private let detector: AnchorDetector

  /// Opens the network's file.
  ///
  /// - Parameters:
  ///   - path: the model file; `nil` looks for the network's in `store`.
  ///   - threads: that a run uses.
  /// - Throws: `unsupported` without a runtime or the file; `badData` if the file holds something else.
  package static func load(
    path: String? = nil, threads: Int = 1, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> LandmarkDetector {
    LandmarkDetector(try AnchorDetector.load(Kind.design, path: path, threads: threads, store: store))
  }

  private init(_ detector: AnchorDetector) { self.detector = detector }

  /// Those in an upright picture of any format, the surest first.
  ///
  /// - Parameter minimumScore: less sure ones are left out; 0…1, in MediaPipe 0.5.
  /// - Throws: `system` if the network does not run.
  package func detect(in image: Image, minimumScore: Double = 0.5) throws(BackdropError) -> [Kind.Found] {
    guard image.width > 0 && image.height > 0 else { return [] }
    return try detect(in: image, square: nil, minimumScore: minimumScore)
  }

  /// Those in a square of an upright picture that has pixels.
  func detect(
    in image: Image, square: PictureSquare?, minimumScore: Double
  ) throws(BackdropError) -> [Kind.Found] {
    try detector.run(image, square: square, minimumScore: minimumScore)
    return detector.detections.map { Kind.found($0, by: detector) }
  }
}

/// Looks closely at what a ``LandmarkDetector`` found, by the landmark network that MediaPipe brings for it: is there one indeed, and
/// where exactly?
///
/// For one thread at a time.
package final class Landmarker<Kind: LandmarkKind> {
  /// Its network's name and file.
  package static var network: LandmarkNetwork { Kind.landmarker }

  private let network: Network
  /// The network's numbers of the kind's outputs.
  private let outputs: [Int]

  /// Opens the network's file.
  ///
  /// - Parameter path: the model file; `nil` looks for the network's in `store`.
  /// - Throws: `unsupported` without a runtime or the file; `badData` if the file holds something else.
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

  /// Its places in an upright picture.
  ///
  /// - Parameter image: `rgba8`, `bgra8` or `rgb8`, not empty.
  /// - Returns: `nil` for one without a size, and for numbers that are none.
  /// - Throws: `system` if the network does not run.
  package func look(at found: Kind.Found, in image: Image) throws(BackdropError) -> Kind.Shape? {
    guard let square = Kind.square(round: found) else { return nil }
    // The shapes are checked, so none is empty.
    TurnedSampler.fill(network.input().baseAddress!, size: Kind.size, from: image, square: square)
    try network.run()
    return Kind.shape(outputs.map { network.output($0) }, in: square)
  }
}

/// Both networks of a kind.
package final class LandmarkNetworks<Kind: LandmarkKind> {
  /// The two.
  package let detector: LandmarkDetector<Kind>, landmarker: Landmarker<Kind>

  /// Opens both networks' files.
  ///
  /// - Throws: `unsupported` without a runtime or a file; `badData` if a file holds something else.
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

  /// Refuses a store without both files, before anything loads them.
  ///
  /// - Throws: `unsupported`.
  static func check(_ store: ModelStore) throws(BackdropError) {
    for network in [Kind.detector, Kind.landmarker] { _ = try store.installed(network.file) }
  }

  /// The name of both.
  package static var ids: [String] { [Kind.detector.id, Kind.landmarker.id] }
}

extension AnchorDetector {
  /// The box of a detection, in pixels of the picture that was looked at.
  func box(of detection: DetectionCandidate) -> Rect {
    let (corner, opposite) = (point(0, of: detection), point(2, of: detection))
    return Rect(x: corner.x, y: corner.y, width: opposite.x - corner.x, height: opposite.y - corner.y)
  }
}
