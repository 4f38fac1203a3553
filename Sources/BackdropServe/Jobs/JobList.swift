import Backdrop
import BackdropHTTP
import Synchronization

/// The video jobs of the service; one of them runs at a time.
final class JobList: Sendable {
  private let options: ServeOptions
  private let folder: DropFolder
  private let queue: WorkQueue
  private let keys: ServiceKeys?
  private let jobs = Mutex<[VideoJob]>([])
  private let keeper = Mutex<Task<Void, Never>?>(nil)

  init(_ options: ServeOptions, _ folder: DropFolder, _ queue: WorkQueue, _ keys: ServiceKeys?) {
    (self.options, self.folder, self.queue, self.keys) = (options, folder, queue, keys)
  }

  var count: Int { jobs.withLock { $0.count } }

  /// The number of jobs that have not ended.
  var runningCount: Int { jobs.withLock { $0 }.count { !$0.info.hasEnded } }

  /// Starts a task that removes expired jobs.
  func start() {
    let task = Task { [weak self] in
      while let self, !Task.isCancelled {
        self.expire()
        for job in self.jobs.withLock({ $0 }) { job.beat() }
        try? await Task.sleep(for: .seconds(10))
      }
    }
    keeper.withLock { $0 = task }
  }

  /// Cancels and removes all jobs.
  func stop() {
    keeper.withLock { $0 }?.cancel()
    for job in jobs.withLock({ $0 }) { job.cancel() }
    jobs.withLock { $0 = [] }
  }

  private func expire() {
    let now = ContinuousClock.now
    jobs.withLock { $0.removeAll { $0.end.map { now - $0 > .seconds(options.jobLife) } ?? false } }
  }

  /// A caller's jobs, the oldest first.
  func list(of owner: String) -> [VideoJob.Info] {
    jobs.withLock { $0 }.filter { $0.owner == owner }.map(\.info)
  }

  func begin(_ request: Request, _ context: RequestContext) throws -> Answer {
    expire()
    var request = request
    let wanted = request.value("do") ?? "replace"
    let operation = try MediaRequest.Operation(known: wanted, or: "a job cannot do '\(wanted)'")
    request.query.removeAll { $0.name == "do" }
    let media = try MediaRequest(operation, request, type: context.type)
    let job = VideoJob(operation, owner: context.caller?.name ?? "")
    let isShared = (keys?.ownerCount ?? 1) > 1
    let limit: String? = jobs.withLock { jobs in
      let free = options.maximumJobs - jobs.count
      guard free > 0 else { return "the service already keeps \(options.maximumJobs) jobs" }
      // None of several keys holds more jobs than it leaves free, so another one finds room.
      let own = jobs.count { $0.owner == job.owner }
      guard !isShared || own == 0 || own < free else { return "you already have \(own) jobs" }
      jobs.append(job)
      return nil
    }
    if let limit {
      return Answer.refusal(.tooManyRequests, limit, hint: "fetch results and remove their jobs with DELETE")
        .adding("Retry-After", "10")
    }
    let account = context.caller?.account ?? ""
    job.start { [self] in await run(job, media, account) }
    return try Answer.json(job.info, .accepted).adding("Location", "/v1/jobs/\(job.id)")
  }

  private func run(_ job: VideoJob, _ media: MediaRequest, _ account: String) async {
    let work = MediaWork(
      request: media, folder: folder, limits: options.limits, threads: nil, isVideo: true,
      sandbox: options.decoders?.sandbox())
    do {
      let result = try await queue.run(
        queue.arrive(account), stop: { work.stop() },
        open: { () throws(BackdropError) in
          job.change { $0.state = .running }
          return try work.open()
        },
        draw: { (opened, networks, isCancelled) throws(BackdropError) in
          try MediaWork.draw(
            opened, networks, began: { count in job.change { $0.frameCount = count } },
            progress: { frames in job.change { $0.frames = frames } }, isInterrupted: isCancelled)
        })
      job.change(result: result) {
        ($0.state, $0.seconds) = (.done, result.summary.seconds)
        $0.notes = Warning.folded(result.summary.warnings).map { $0.line() }
        $0.result = "/v1/jobs/\(job.id)/result"
      }
    } catch let error as BackdropError where error.kind != .interrupted {
      job.change {
        ($0.state, $0.error, $0.hint) = (.failed, error.message, error.hint?.text)
        $0.code = Answer.code(of: error.kind)
      }
    } catch {
      job.change { $0.state = .cancelled }
    }
  }

  /// Answers a request about one job; jobs of other keys count as missing.
  func answer(_ route: Route, _ context: RequestContext) throws -> Answer {
    let owner = context.caller?.name ?? ""
    guard let job = jobs.withLock({ $0.first { $0.id == context.job && $0.owner == owner } }) else {
      return .refusal(.notFound, "there is no such job", hint: "GET /v1/jobs lists yours")
    }
    if context.method == .DELETE {
      job.cancel()
      job.change { $0.state = .cancelled }
      jobs.withLock { $0.removeAll { $0 === job } }
      return .nothing(.noContent)
    }
    switch route {
    case .jobEvents: return .stream(job.events(), type: "text/event-stream")
    case .jobResult:
      guard let result = job.result else {
        return .refusal(
          .conflict, "the job has no result: it is \(job.info.state.rawValue)",
          hint: "wait for the event 'done' of /v1/jobs/\(job.id)/events")
      }
      return try Answer.file(
        result.path, type: MediaType.named(result.path), downloadAs: "result." + FileName(result.path).fileExtension)
    default: return try Answer.json(job.info)
    }
  }
}
