import BackdropImaging

/// Keeps loaded networks for one stream or picture after another, because loading takes longer than processing a picture.
///
/// Use a cache, and the networks that it returned, from one thread at a time.
public final class ModelCache {
  private struct Entry {
    let description: NetworkDescription
    let classes: [String]?
    let threads: Int
    let device: NetworkDevice?
    let network: PersonNetwork
  }

  private var entries: [Entry] = []
  private var faces: (folder: String, detector: LoadAhead<FaceDetector>)?
  private var bodies: (folder: String, threads: Int, networks: LandmarkNetworks)?

  /// The number of networks loaded or loading.
  public var count: Int { entries.count + (faces == nil ? 0 : 1) + (bodies == nil ? 0 : 2) }

  /// An empty cache.
  public init() {}

  /// The networks of these descriptions, loaded in parallel or taken from the cache, without memory of earlier pictures. Do not use
  /// networks from earlier calls. Parameters and errors are those of ``PersonNetwork/init(_:classes:threads:device:store:)``.
  package func networks(
    _ descriptions: [NetworkDescription], classes: [String]?, threads: Int, device: NetworkDevice? = nil
  ) throws(BackdropError) -> [PersonNetwork] {
    func known(_ description: NetworkDescription) -> PersonNetwork? {
      entries.first {
        $0.description == description && $0.classes == classes && $0.threads == threads && $0.device == device
      }?.network
    }
    let missing = descriptions.filter { known($0) == nil }
    let loaded = try ParallelParts.results(missing.count) { (index) throws(BackdropError) in
      UncheckedTransfer(try PersonNetwork(missing[index], classes: classes, threads: threads, device: device))
    }
    for (description, result) in zip(missing, loaded) {
      entries.append(
        Entry(
          description: description, classes: classes, threads: threads, device: device,
          network: try result.get().value))
    }
    let found = descriptions.compactMap(known)
    for network in found { network.reset() }
    return found
  }

  /// The face detector, loaded or from the cache. Do not use a detector from an earlier call.
  ///
  /// - Throws: as ``FaceDetector/init(threads:store:)``.
  package func faceDetector(store: ModelStore = ModelStore()) throws(BackdropError) -> FaceDetector {
    do throws(BackdropError) {
      return try beginFaces(store).value()
    } catch {
      faces = nil
      throw error
    }
  }

  /// Starts loading the face detector on a separate thread, if it is not loaded yet, for a later call.
  package func expectFaces(store: ModelStore = ModelStore()) { _ = beginFaces(store) }

  private func beginFaces(_ store: ModelStore) -> LoadAhead<FaceDetector> {
    if let faces, faces.folder == store.folder { return faces.detector }
    let detector = LoadAhead { () throws(BackdropError) in try FaceDetector(store: store) }
    faces = (store.folder, detector)
    return detector
  }

  /// The networks for bodies, loaded or from the cache.
  ///
  /// - Throws: as ``LandmarkNetworks/init(threads:store:)``.
  func bodyNetworks(threads: Int, store: ModelStore) throws(BackdropError) -> LandmarkNetworks {
    if let bodies, bodies.folder == store.folder, bodies.threads == threads { return bodies.networks }
    let networks = try LandmarkNetworks(threads: threads, store: store)
    bodies = (store.folder, threads, networks)
    return networks
  }
}
