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
  private var poses: (folder: String, threads: Int, detector: PoseDetector, landmarker: PoseLandmarker)?

  /// Networks loaded so far.
  public var count: Int { entries.count + (faces == nil ? 0 : 1) + (poses == nil ? 0 : 2) }

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

  /// The pose networks, loaded now or before.
  ///
  /// - Throws: as ``PoseDetector/load(path:threads:store:)``.
  func poseNetworks(
    threads: Int, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> (detector: PoseDetector, landmarker: PoseLandmarker) {
    if let poses, poses.folder == store.folder, poses.threads == threads { return (poses.detector, poses.landmarker) }
    let detector = try PoseDetector.load(threads: threads, store: store)
    let landmarker = try PoseLandmarker.load(threads: threads, store: store)
    poses = (store.folder, threads, detector, landmarker)
    return (detector, landmarker)
  }
}
