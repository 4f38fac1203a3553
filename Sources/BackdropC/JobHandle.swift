import Backdrop
import CBackdrop
import Synchronization

/// Keeps the networks of the last job. A caller that makes a job for each of many files would otherwise load them each
/// time, which takes longer than drawing a picture.
private let spareNetworks = SpareNetworks(maximum: 1)

/// A job of files, which runs once.
final class JobHandle: Handle, @unchecked Sendable {
  static let title = "job"

  /// Any thread may set it; all other properties belong to the thread that ``HandleTable`` admits.
  let isCancelled = Atomic(false)
  private var job: Job?
  private let networks: ModelCache
  /// The sandbox that decodes files; `nil` decodes in this process.
  private let sandbox: DecoderSandbox?
  private let observes: Bool
  private let progress: bd_progress_function?
  private let context: UnsafeMutableRawPointer?

  init(_ given: bd_job_options) throws(BackdropError) {
    var (choice, writing) = (FileOptions(), JobOutput())
    let settings = try Settings(try namedOptions(given.options, given.option_count)) {
      (name, value) throws(BackdropError) in
      if try choice.accept(name, value) { return true }
      return try writing.accept(name, value)
    }
    var plan = try settings.jobPlan(writing, threads: try threadCount(given.threads))
    plan.writing.overwrite = given.overwrite != 0
    plan.output = given.output == nil ? nil : try OutputTarget(FilePath.text(given.output))
    if given.matte != nil { plan.matteOutput = try OutputTarget(FilePath.text(given.matte)) }
    for path in [plan.output, plan.matteOutput].compactMap({ $0?.path }) where path == "-" {
      throw BackdropError(.wrongArgument, "the library cannot write to standard output", hint: "name a file")
    }
    let input = try text(given.input, "input")
    guard input != "-" else {
      throw BackdropError(.wrongArgument, "the library cannot read standard input", hint: "name a file")
    }
    observes = plan.output == nil
    if observes { plan.output = .observer }
    let decoder = try choice.decoder()
    var opening = choice.source.input
    opening.keepsDynamicRange = plan.writing.keepsDynamicRange
    let source = try decoder.decoding { () throws(BackdropError) in try SceneInput.open(input, options: opening) }
    sandbox = decoder
    (progress, context) = (given.progress, given.progress_context)
    networks = spareNetworks.next()
    // If this fails, `deinit` still returns the networks.
    job = try Job(source, plan, networks: networks)
  }

  deinit { spareNetworks.give(networks) }

  /// Runs the job; returns its summary, and the last picture if there is no output file.
  func run() throws(BackdropError) -> (summary: JobSummary, picture: Frame?) {
    guard let job else { throw BackdropError(.wrongArgument, "this job has already run", hint: "make another one") }
    self.job = nil
    var picture: Frame?
    var isStopped = false
    let summary = try sandbox.decoding { () throws(BackdropError) in
      try job.run(
        progress: { if let progress, progress(context, Int64($0)) != 0 { isStopped = true } },
        isInterrupted: { isStopped || isCancelled.load(ordering: .relaxed) },
        observe: observes
          ? { scene, _, rendering in
            picture = rendering.map { Frame($0.image, $0.standing, time: scene.time) }
          } : nil)
    }
    for warning in Warning.folded(summary.warnings) { Log.shared.report(warning) }
    return (summary, picture)
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_job_create")
public func bd_job_create(
  _ options: UnsafePointer<bd_job_options>!, _ job: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(job) { () throws(BackdropError) in
    guard let pointer = options else {
      throw BackdropError(.wrongArgument, "the options are missing", hint: "begin with BD_JOB_OPTIONS")
    }
    return try JobHandle(try pointer.checked(\.size, "bd_job_options"))
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_job_run")
public func bd_job_run(
  _ job: OpaquePointer!, _ picture: UnsafeMutablePointer<OpaquePointer?>!,
  _ summary: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> bd_status {
  picture?.pointee = nil
  summary?.pointee = nil
  return perform(job, JobHandle.self) { (job) throws(BackdropError) in
    let result = try job.run()
    if let summary { try give(result.summary, to: summary) }
    if let picture, let frame = result.picture { picture.pointee = HandleTable.shared.add(frame) }
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_job_cancel")
public func bd_job_cancel(_ job: OpaquePointer!) -> bd_status {
  perform { () throws(BackdropError) in
    try HandleTable.shared.withShared(job, JobHandle.self) { (job) throws(BackdropError) in
      job.isCancelled.store(true, ordering: .relaxed)
    }
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_job_free")
public func bd_job_free(_ job: OpaquePointer!) { HandleTable.shared.remove(job) }
