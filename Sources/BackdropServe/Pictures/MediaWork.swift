import Backdrop
import BackdropHTTP

/// The work on one request: ``open()`` opens its input, and ``draw(_:_:began:progress:isInterrupted:)`` writes the result to a file.
struct MediaWork {
  /// The opened input with the plan of the work.
  struct Opened {
    let source: SceneInput
    let plan: Job.Plan
    let files: RequestFiles
    let path: String
    let sandbox: DecoderSandbox?

    /// What its time depends on.
    func kind(of request: MediaRequest) -> WorkRates.Kind {
      WorkRates.Kind(operation: request.operation, look: plan.look.id, format: FileName(path).fileExtension)
    }
  }

  struct Result: Sendable {
    let path: String
    let files: RequestFiles
    let summary: JobSummary
  }

  let request: MediaRequest
  let folder: DropFolder
  let limits: ImageLimits
  /// The number of threads for drawing; `nil` for the default of ``/Backdrop/Job``.
  let threads: Int?
  /// Whether the input must be a video; otherwise it must be a picture.
  let isVideo: Bool
  /// The sandbox that decodes the request's files; `nil` decodes in this process.
  let sandbox: DecoderSandbox?

  /// Opens the input and plans the work; also returns the number of the input's pixels.
  func open() throws(BackdropError) -> (opened: Opened, pixels: Int) {
    try sandbox.decoding { () throws(BackdropError) in try openFiles() }
  }

  /// Ends decoders that are at work, from any thread; nothing is decoded after that.
  func stop() { sandbox?.stop() }

  private func openFiles() throws(BackdropError) -> (opened: Opened, pixels: Int) {
    let files = RequestFiles(folder)
    var options = request.options
    for name in request.files.keys.sorted() {
      options.append((name, try request.files[name].map { (file) throws(BackdropError) in try files.write(file) }))
    }
    var (choice, writing) = (SourceOptions(), JobOutput())
    let settings = try Settings(options) { (name, value) throws(BackdropError) in
      if try choice.accept(name, value) { return true }
      if try writing.accept(name, value) { return true }
      guard Settings.parameters[name] != nil else { throw request.unknown(name) }
      return false
    }
    choice.input.limits = limits
    choice.input.threads = threads ?? 0
    choice.input.keepsDynamicRange = writing.options.keepsDynamicRange
    // All pictures and videos of clients are opened here and nowhere else.
    let source = try SceneInput.open(try files.write(request.input), options: choice.input)
    guard source.isStill != isVideo else {
      throw BackdropError(
        .unsupported, isVideo ? "this is a picture" : "this is a video",
        hint: isVideo ? "send pictures to /v1/\(request.operation.rawValue)" : "send videos to /v1/jobs")
    }
    var plan = try settings.jobPlan(writing, threads: threads)
    plan.limits = limits
    let path = files.name(fileExtension: try fileExtension(source, plan))
    if request.operation == .matte {
      plan.matteOutput = try OutputTarget(file: path)
    } else {
      plan.output = try OutputTarget(file: path)
    }
    return (
      Opened(source: source, plan: plan, files: files, path: path, sandbox: sandbox), source.width * source.height
    )
  }

  /// The extension of the result's name: the requested one, or that of ``/Backdrop/ResultNaming``.
  private func fileExtension(_ source: SceneInput, _ plan: Job.Plan) throws(BackdropError) -> String {
    let known = isVideo ? MediaType.videoFormats : MediaType.pictureFormats
    if let format = request.format {
      guard known.contains(format) || format == "jpeg" else {
        throw BackdropError(
          .wrongArgument, "the service does not write '\(format)'", hint: .known(known, insteadOf: format))
      }
      return format
    }
    let naming = ResultNaming(plan, isMatte: request.operation == .matte, known: known)
    return isVideo ? naming.video(request.input.fileExtension) : naming.picture(source.photo?.photo.container)
  }

  /// Draws the result and writes it to its file.
  ///
  /// - Parameters:
  ///   - began: called once with the number of frames; `nil` if it is unknown.
  ///   - progress: called after each frame with the number of finished frames.
  ///   - isInterrupted: called between steps and frames; the work stops if it returns true.
  static func draw(
    _ opened: Opened, _ networks: ModelCache, began: (Int?) -> Void = { _ in }, progress: (Int) -> Void = { _ in },
    isInterrupted: @escaping () -> Bool
  ) throws(BackdropError) -> Result {
    if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
    let summary = try opened.sandbox.decoding { () throws(BackdropError) in
      let job = try Job(opened.source, opened.plan, networks: networks)
      began(opened.source.isStill ? 1 : opened.source.frameCount)
      return try job.run(progress: progress, isInterrupted: isInterrupted) { _, _, _ throws(BackdropError) in
        // This is the last check before the result is written.
        if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      }
    }
    opened.files.keep(only: opened.path)
    return Result(path: opened.path, files: opened.files, summary: summary)
  }
}
