import BackdropImaging
import Synchronization

/// Networks that are loaded once and used for one stream or picture after the other: loading one takes longer than it
/// needs for a picture.
///
/// Use a shelf, and the networks that it returned, from one thread at a time.
public final class ModelCache {
  private struct Entry {
    let description: NetworkDescription
    let classes: [String]?
    let threads: Int
    let network: PersonNetwork
  }

  private var entries: [Entry] = []
  private var faces: (folder: String, detector: FaceDetector)?
  /// The networks of bodies and of hands that were loaded last.
  private var landmarks: [(folder: String, threads: Int, networks: AnyObject)] = []

  /// Networks loaded so far.
  public var count: Int { entries.count + (faces == nil ? 0 : 1) + 2 * landmarks.count }

  /// An empty shelf.
  public init() {}

  /// The networks of these descriptions, loaded now (side by side) or before, with nothing in their memory of earlier
  /// pictures. Whoever got one before must not use it any more.
  ///
  /// - Throws: as ``PersonNetwork/load(_:path:classes:threads:store:)``.
  public func networks(
    _ descriptions: [NetworkDescription], classes: [String]?, threads: Int
  ) throws(BackdropError) -> [PersonNetwork] {
    func known(_ description: NetworkDescription) -> PersonNetwork? {
      entries.first { $0.description == description && $0.classes == classes && $0.threads == threads }?.network
    }
    let missing = descriptions.filter { known($0) == nil }
    // Each says for itself what is wrong, so that the first of them is told, not the fastest.
    let loaded = Mutex<[Int: Result<UncheckedTransfer<PersonNetwork>, BackdropError>]>([:])
    try ParallelParts.run(missing.count, threads: nil) { (next) throws(BackdropError) in
      while let index = next() {
        let result: Result<UncheckedTransfer<PersonNetwork>, BackdropError>
        do throws(BackdropError) {
          result = .success(
            UncheckedTransfer(try PersonNetwork.load(missing[index], classes: classes, threads: threads)))
        } catch {
          result = .failure(error)
        }
        loaded.withLock { $0[index] = result }
      }
    }
    for (index, result) in loaded.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      entries.append(
        Entry(
          description: missing[index], classes: classes, threads: threads, network: try result.get().value))
    }
    let found = descriptions.compactMap(known)
    for network in found { network.reset() }
    return found
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

  /// The networks of bodies, or of hands, loaded now or before.
  ///
  /// - Throws: as ``LandmarkNetworks/load(threads:store:)``.
  func networks<Kind: LandmarkKind>(
    finding kind: Kind.Type, threads: Int, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> LandmarkNetworks<Kind> {
    let index = landmarks.firstIndex { $0.networks is LandmarkNetworks<Kind> }
    if let index, landmarks[index].folder == store.folder, landmarks[index].threads == threads,
      let known = landmarks[index].networks as? LandmarkNetworks<Kind>
    {
      return known
    }
    let networks = try LandmarkNetworks<Kind>.load(threads: threads, store: store)
    if let index { landmarks.remove(at: index) }
    landmarks.append((store.folder, threads, networks))
    return networks
  }
}
