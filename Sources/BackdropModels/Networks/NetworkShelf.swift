import BackdropImaging

/// Networks that are loaded once and used for one stream or picture after the other: loading one takes longer than it
/// needs for a picture.
///
/// One thread uses a shelf, and what came from it, at a time.
public final class NetworkShelf {
  private struct Entry {
    let description: NetworkDescription
    let classes: [String]?
    let threads: Int
    let network: PersonNetwork
  }

  private var entries: [Entry] = []
  private var faces: (folder: String, detector: FaceDetector)?

  /// Networks loaded so far.
  public var count: Int { entries.count + (faces == nil ? 0 : 1) }

  /// An empty shelf.
  public init() {}

  /// The network of that description, loaded now or before, with nothing in its memory of earlier pictures. Whoever got
  /// it before must not use it any more.
  ///
  /// - Throws: as ``PersonNetwork/load(_:path:classes:threads:store:)``.
  public func network(
    _ description: NetworkDescription, classes: [String]?, threads: Int
  ) throws(BackdropError) -> PersonNetwork {
    if let known = entries.first(where: {
      $0.description == description && $0.classes == classes && $0.threads == threads
    }) {
      known.network.reset()
      return known.network
    }
    let network = try PersonNetwork.load(description, classes: classes, threads: threads)
    entries.append(Entry(description: description, classes: classes, threads: threads, network: network))
    return network
  }

  /// The face detector, loaded now or before. Whoever got it before must not use it any more.
  ///
  /// - Throws: as ``FaceDetector/load(path:threads:store:)``.
  public func faceDetector(store: ModelStore = ModelStore()) throws(BackdropError) -> FaceDetector {
    if let faces, faces.folder == store.folder { return faces.detector }
    let detector = try FaceDetector.load(store: store)
    faces = (store.folder, detector)
    return detector
  }
}
