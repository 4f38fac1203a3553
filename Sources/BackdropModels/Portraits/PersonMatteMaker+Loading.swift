import BackdropImaging
import BackdropMatting

extension PersonMatteMaker {
  /// Loads the networks, or takes loaded ones from `cache`; with the size of all pictures, only networks that some of them need.
  ///
  /// - Throws: `unsupported` if the runtime or a model is not installed; `wrongArgument` for an unknown network or class, or options out
  ///   of range.
  package static func load(
    _ options: Options, for picture: (width: Int, height: Int)? = nil, workers: WorkerPool,
    networks cache: ModelCache = ModelCache()
  ) throws(BackdropError) -> PersonMatteMaker {
    try Options.parameters.check(options)
    let threads = options.threads ?? workers.threadCount
    // A network that runs ahead uses only idle time, so it may use all processors.
    let ahead = options.runsAhead && options.quality == .high ? WorkerPool.processorCount : workers.threadCount
    let networks = try cache.networks(
      try descriptions(options, for: picture), classes: options.classes, threads: options.threads ?? ahead,
      device: options.device)
    let seeks = options.quality == .live && options.model == nil && options.subject == .person
    return try PersonMatteMaker(
      networks, options,
      search: seeks && LandmarkNetworks.areInstalled(in: ModelStore())
        ? PersonSearch(networks: cache, threads: threads) : nil,
      workers: workers)
  }

  private static func descriptions(
    _ options: Options, for picture: (width: Int, height: Int)?
  ) throws(BackdropError) -> [NetworkDescription] {
    if let model = options.model { return [try description(model)] }
    if options.subject == .any { return [.salientObjects] }
    let selfie: [NetworkDescription] = [.selfieLandscape, .selfieGeneral]
    return switch options.quality {
    case .fast:
      if let picture,
        let fitting = selfie.min(by: { $0.sizes[0].stretch(of: picture) < $1.sizes[0].stretch(of: picture) })
      {
        [fitting]
      } else {
        selfie
      }
    case .live: selfie
    case .best: Array(ranked(in: ModelStore()).prefix(options.leftOut.contains(.bounds) ? 1 : .max))
    case .high: [.robustVideoMatting]
    }
  }

  /// The installed networks for pictures, best first: one of measured quality leads, and all below it limit its mattes.
  package static func ranked(in store: ModelStore) -> [NetworkDescription] {
    let leaders = [NetworkDescription.robustVideoMatting, .salientObjects].filter { store.path(of: $0.file) != nil }
    let bounds = [NetworkDescription.selfieGeneral, .selfieLandscape]
    return leaders.isEmpty ? [.selfieGeneral] : leaders + bounds
  }

  /// The network that a user names: a known name, a JSON description, or a model file.
  static func description(_ name: String) throws(BackdropError) -> NetworkDescription {
    if let known = NetworkDescription.named(name) { return known }
    if name.hasSuffix(".json") {
      let description = try NetworkDescription.load(name)
      guard FileKind(description.file) == .file else {
        throw BackdropError(
          .wrongArgument, "the model file named in '\(name)' is missing", path: description.file,
          hint: "put the file into the folder of the description")
      }
      return description
    }
    guard [".tflite", ".onnx", ".xml"].contains(where: name.hasSuffix) else {
      throw BackdropError(
        .wrongArgument, "Backdrop has no network '\(name)'",
        hint: .known(NetworkDescription.all.map(\.id), insteadOf: name))
    }
    guard FileKind(name) == .file else { throw Network.missing(name) }
    let file = FileName(name).whole
    let named = NetworkDescription.all.first { $0.file == file }
    var known = if let named { named } else { try NetworkDescription.recognised(name) }
    known.file = name.hasPrefix("/") ? name : "./" + name
    return known
  }
}
