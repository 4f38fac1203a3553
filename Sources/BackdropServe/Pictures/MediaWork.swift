import Backdrop
import BackdropHTTP
import BackdropImaging
import BackdropSandbox

/// The work on one request, on a thread of its own: its input is opened, and then drawn to a file.
struct MediaWork {
  /// The plan of the work, once the input is open.
  struct Opened {
    let source: any SceneSource
    let plan: Job.Plan
    let files: RequestFiles
    /// Where the result goes.
    let path: String
    /// The sandbox that decodes the request's files.
    let sandbox: DecoderSandbox?
  }

  /// What came of it.
  struct Result: Sendable {
    let path: String
    let files: RequestFiles
    let summary: JobSummary
  }

  let request: MediaRequest
  let folder: DropFolder
  let limits: ImageLimits
  /// Threads for drawing; `nil` for the job's own number.
  let threads: Int?
  /// Whether it must be a video, or must be none.
  let isVideo: Bool
  /// The sandboxes for strangers' files; `nil` decodes in this process.
  let decoders: DecoderReserve?

  /// Opens the input, and finds out what is to be done.
  ///
  /// - Throws: what is wrong with the input or the settings.
  func open() throws(BackdropError) -> (opened: Opened, pixels: Int) {
    let sandbox = decoders?.sandbox()
    return try sandbox.decoding { () throws(BackdropError) in try open(sandbox) }
  }

  private func open(_ sandbox: DecoderSandbox?) throws(BackdropError) -> (opened: Opened, pixels: Int) {
    let files = RequestFiles(folder)
    var options = request.options
    for name in request.files.keys.sorted() {
      options.append((name, try request.files[name].map { (file) throws(BackdropError) in try files.write(file) }))
    }
    var (choice, writing) = (SourceOptions(), JobOutput())
    let settings = try Settings(options) { (name, value) throws(BackdropError) in
      if try choice.take(name, value) { return true }
      return try writing.take(name, value)
    }
    choice.input.limits = limits
    choice.input.threads = threads ?? 0
    let source = try RequestFiles.open(try files.write(request.input), options: choice.input)
    try check(source)
    var plan = Job.Plan(try settings.loadedLook())
    (plan.values, plan.analysis, plan.drawing) = (settings.values, settings.plan.analysis, settings.plan.drawing)
    plan.background = try settings.background.map { text throws(BackdropError) in try BackgroundChoice(parsing: text) }
    (plan.isStrict, plan.needsPerson) = (settings.audience == .others, settings.audience == .others)
    if settings.showsRealBackground { plan.isStrict = false }
    (plan.writing, plan.writing.threads) = (writing.options, threads ?? 0)
    (plan.threads, plan.limits) = (threads, limits)
    let path = files.name(ending: try ending(source, plan))
    if request.operation == .matte {
      plan.matteOutput = try OutputTarget(file: path)
    } else {
      plan.output = try OutputTarget(file: path)
    }
    return (
      Opened(source: source, plan: plan, files: files, path: path, sandbox: sandbox), source.width * source.height
    )
  }

  private func check(_ source: any SceneSource) throws(BackdropError) {
    guard source.isStill != isVideo else {
      throw BackdropError(
        .unsupported, isVideo ? "this is a picture" : "this is a video",
        hint: isVideo ? "send pictures to /v1/\(request.operation.rawValue)" : "send videos to /v1/jobs")
    }
  }

  /// The ending of the result's name: the one that was asked for, or the input's own where such files are written and hold what they
  /// must.
  private func ending(_ source: any SceneSource, _ plan: Job.Plan) throws(BackdropError) -> String {
    let known = isVideo ? MediaType.videoFormats : MediaType.pictureFormats
    if let format = request.format {
      guard known.contains(format) || format == "jpeg" else {
        throw BackdropError(
          .wrongArgument, "the service does not write '\(format)'", hint: .known(known, insteadOf: format))
      }
      return format
    }
    guard !isVideo else { return plan.isTransparent && request.operation != .matte ? "mov" : "mp4" }
    let own = (source as? PhotoSource)?.photo.container as? any WritablePhotoContainer
    guard request.operation != .matte, let own, own.holdsAlpha || !plan.isTransparent,
      own.canBeLossless || !plan.writing.photoIsLossless, let ending = own.endings.first, known.contains(ending)
    else { return "png" }
    return ending
  }

  /// Draws it.
  ///
  /// - Parameters:
  ///   - began: told how many frames there are, as far as known.
  ///   - progress: told the number of frames done after each.
  ///   - isInterrupted: asked between steps and frames.
  /// - Throws: as ``/Backdrop/Job``.
  static func draw(
    _ opened: Opened, _ networks: ModelCache, began: (Int?) -> Void = { _ in }, progress: (Int) -> Void = { _ in },
    isInterrupted: @escaping () -> Bool
  ) throws(BackdropError) -> Result {
    do throws(BackdropError) {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      let summary = try opened.sandbox.decoding { () throws(BackdropError) in
        let job = try Job(opened.source, opened.plan, networks: networks)
        began(opened.source.isStill ? 1 : opened.source.frameCount)
        return try job.run(progress: progress, isInterrupted: isInterrupted) { _, _, _ throws(BackdropError) in
          // Before the result is written.
          if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
        }
      }
      opened.files.keep(only: opened.path)
      return Result(path: opened.path, files: opened.files, summary: summary)
    } catch {
      throw BackdropError(error.kind, error.message, hint: error.remedy)
    }
  }
}
