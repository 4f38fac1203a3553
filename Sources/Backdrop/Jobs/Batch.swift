import Libc

/// Several inputs that go through the same job one after the other, each to its own file in one folder.
///
/// An error of one input does not stop the others.
public struct Batch {
  /// The output of each input.
  public enum Product: Sendable {
    case result
    case matte
  }

  /// An input and its output.
  public struct Item: Sendable {
    /// The input's name, as ``SceneInput/open(_:options:)`` takes it.
    public let input: String
    /// The output's name; `nil` if unknown, because the input is unusable.
    public internal(set) var output: String?
    /// The error of the input, or of its output's name.
    public internal(set) var fault: BackdropError?
    let files: [String]
    let moves: Bool
    /// Outputs of earlier inputs whose names differ only in case.
    let rivals: [String]
  }

  /// How one input ended.
  public enum Outcome: Sendable {
    case done(JobSummary)
    /// The output already existed, or another process made it meanwhile.
    case skipped
    case failed(BackdropError)
  }

  /// The inputs, in order; only those of the ``shard``, if there is one.
  public let items: [Item]
  /// What lies in the folders among the inputs and is left out, though it may hold pictures: folders inside, links that lead to nothing,
  /// pipes. Each has its path.
  public let leftOut: [BackdropError]
  /// The number of inputs in all shards together.
  public let inputCount: Int
  /// The shard to process; `nil` for all.
  public let shard: Shard?
  /// The folder of the outputs.
  public let folder: String
  private let plan: Job.Plan
  private let product: Product
  private let options: SceneInput.Options
  private let networks = ModelCache()
  private let behind = FittedPictures()

  /// Determines the inputs and the names of their outputs, and reads no more than that needs.
  ///
  /// A folder that is not an RGB-D recording stands for all pictures and videos in it, in the order of their names, without subfolders
  /// (``leftOut``). An output has its input's name. It keeps the input's extension if Backdrop can write such a file. If not, the extension
  /// is `.png` for a picture and `.mp4` (or, if that cannot hold the codec, `.mkv`) for a video; with transparency `.png` and `.mov` (`.webm` stays, and
  /// `.mkv` is for codecs that neither holds); for mattes `.png` and `.mkv`, lossless unless the plan names a codec. If inputs with
  /// different extensions would become one file, each keeps its extension in the name: `a.jpg.png` and `a.png.png`. An input has an
  /// ``Item/fault`` if its output is also another input's output, or a file that the batch reads.
  ///
  /// - Parameters:
  ///   - inputs: files, folders and addresses.
  ///   - folder: the folder for the outputs.
  ///   - product: whether to make results or mattes.
  ///   - shard: the inputs to process, while other processes may do the others. Names are assigned over all inputs, so that all shards
  ///     agree. Missing and unreadable inputs are in every shard.
  ///   - plan: the plan for each input; its outputs are ignored.
  ///   - options: how to read inputs.
  /// - Throws: `wrongArgument` if `folder` is a file; errors in the plan's look or background.
  public init(
    _ inputs: [String], to folder: String, making product: Product, shard: Shard? = nil, _ plan: Job.Plan,
    options: SceneInput.Options = SceneInput.Options()
  ) throws(BackdropError) {
    guard FileKind(folder) == .folder || FileKind(folder) == .absent else {
      throw BackdropError(.wrongArgument, "the output folder is a file", path: folder, hint: "choose another name")
    }
    self.folder = FileName.withoutSlashes(folder)
    (self.plan, self.product, self.options) = (plan, product, options)
    let naming = BatchNaming(folder: self.folder, product: product, plan: plan)
    let found = inputs.map { BatchSource.find($0, options.recording) }
    var items = naming.items(found.flatMap(\.sources))
    // The results may well lie among the inputs, and inputs may be named beside their folder.
    let named = inputs + [folder]
    leftOut = found.flatMap(\.leftOut).filter { left in
      left.path.map { path in !named.contains { FileNumber.areSame($0, path) } } ?? true
    }
    try Self.checkOutputFiles(of: &items, plan)
    inputCount = items.count
    self.shard = shard
    self.items =
      shard.map { shard in items.filter { shard.contains($0.input) || $0.fault != nil && $0.files.isEmpty } } ?? items
    _ = try plan.look.settings(plan.values)
    if plan.isTransparent && product == .result {
      _ = try Cutout(plan.look, width: 1, height: 1)
    } else if let background = plan.background, !plan.isTransparent {
      _ = try BackgroundSource(background, width: 16, height: 16, limits: plan.limits)
    }
  }

  /// Sets the fault of each item whose output would replace an input or the background.
  private static func checkOutputFiles(of items: inout [Item], _ plan: Job.Plan) throws(BackdropError) {
    let files = FilesRead(items.flatMap(\.files) + (plan.background?.files ?? []).filter { FileKind($0) == .file })
    for index in items.indices {
      guard let output = items[index].output, let file = files.file(replacedBy: try OutputTarget(file: output)) else {
        continue
      }
      items[index].output = nil
      items[index].fault = BackdropError(
        .wrongArgument,
        "the output would replace \(file == items[index].input ? "it" : "'\(file)', which is another input")",
        path: output, hint: .chooseOutputFolder)
    }
  }

  /// Makes the output folder if only its last part is missing. Returns whether this call made it and no other shard relies on it.
  ///
  /// - Throws: `wrongArgument` or `system` if it cannot be made.
  public func makeFolder() throws(BackdropError) -> Bool {
    guard FileKind(folder) == .absent else { return false }
    guard FileCalls.makeFolder(folder) == 0 else {
      // Another shard made it first.
      if FileKind(folder) == .folder { return false }
      throw BackdropError(
        .wrongArgument, "Backdrop cannot create the output folder", path: folder,
        hint: "create it first: mkdir -p '\(folder)'")
    }
    return shard == nil
  }

  /// Processes one of the ``items``.
  ///
  /// - Parameters:
  ///   - item: one of them.
  ///   - skipsExisting: whether to keep an existing output, without reading the input.
  ///   - began: receives the number of frames, as far as known, before the first frame.
  ///   - progress: receives the number of finished frames after each.
  ///   - isInterrupted: called before each frame.
  /// - Throws: `interrupted`, or `wrongArgument` for a mistake in the plan that does not depend on the input.
  public func run(
    _ item: Item, skipsExisting: Bool = false, began: (Int?) -> Void = { _ in }, progress: (Int) -> Void = { _ in },
    isInterrupted: () -> Bool = { false }
  ) throws(BackdropError) -> Outcome {
    if let fault = item.fault { return .failed(fault) }
    guard let output = item.output else { preconditionFailure("an input without fault has an output") }
    if let rival = item.rivals.first(where: { FileNumber.areSame($0, output) }) {
      return .failed(
        BackdropError(
          .wrongArgument, "the file system does not tell this name from \(rival)", path: output,
          hint: .renameOrOtherFolder))
    }
    if skipsExisting && FileKind(output) == .file { return .skipped }
    do throws(BackdropError) {
      // This check comes before an expensive input is opened.
      _ = try OutputFile(output, overwrite: plan.writing.overwrite)
      let source = try SceneInput.open(item.input, options: options)
      began(source.isStill ? 1 : source.frameCount)
      var plan = plan
      let target = try OutputTarget(file: output)
      (plan.output, plan.matteOutput) = product == .result ? (target, nil) : (nil, target)
      if product == .matte && item.moves && plan.writing.codec == nil { plan.writing.codec = .ffv1 }
      // The codec is meant for videos; a picture has none.
      if !item.moves { plan.writing.codec = nil }
      if product == .result, source.isStill, !plan.isTransparent, let background = plan.background {
        let size = plan.drawing.composition.size(width: source.width, height: source.height)
        plan.background = try behind.choice(for: background, width: size.width, height: size.height, plan)
      }
      let job = try Job(source, plan, networks: networks)
      return .done(try job.run(progress: progress, isInterrupted: isInterrupted))
    } catch {
      if error.kind == .interrupted { throw error }
      // Another process with the same inputs finished it first.
      if skipsExisting, error == OutputFile.exists(output), FileKind(output) == .file { return .skipped }
      // An error without a path lies in the plan, so it would recur for every input.
      if error.kind == .wrongArgument && error.path == nil { throw error }
      return .failed(error.path == nil ? error.at(item.input) : error)
    }
  }
}

extension FittedPictures {
  /// A picture file as a picture of that size; another background unchanged.
  fileprivate func choice(
    for background: BackgroundChoice, width: Int, height: Int, _ plan: Job.Plan
  ) throws(BackdropError) -> BackgroundChoice {
    guard case .file(let path) = background else { return background }
    let image = try picture(path, width: width, height: height) { () throws(BackdropError) in
      let source = try BackgroundSource(background, width: width, height: height, limits: plan.limits)
      guard case .picture(let image) = source.initial, !source.isMoving else { return nil }
      return image
    }
    return image.map { .picture(Picture($0)) } ?? background
  }
}
