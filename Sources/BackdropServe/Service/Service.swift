import BackdropHTTP
import BackdropImaging
import Libc
import Synchronization

/// The service: replaces backgrounds for other programs, over HTTP.
///
///     let service = try Service(ServeOptions())
///     try service.start()
///     print(service.port)
public final class Service: Sendable {
  private let options: ServeOptions
  private let keys: ServiceKeys?
  private let router: ServiceRouter
  private let folder: DropFolder
  private let connections: Connections
  private let server = Mutex<HTTPServer?>(nil)
  private let fault = Mutex<BackdropError?>(nil)
  /// Connections at once: each takes a descriptor and its buffers, and those that wait for nothing give way.
  private static let maximumConnections = 2048

  /// A service that does not run yet.
  ///
  /// - Throws: `wrongArgument` for options that are refused; what is wrong with the file of keys.
  public init(_ options: ServeOptions) throws(BackdropError) {
    try options.check()
    self.options = options
    keys = try options.keyFile.map { (path) throws(BackdropError) in try ServiceKeys(path) }
    let quota = UploadQuota(limit: max(512 << 20, options.maximumBody), hint: "try again")
    folder = try DropFolder(in: options.temporaryFolder, prefix: "backdrop-serve-", quota: quota)
    connections = Connections(maximum: Self.maximumConnections)
    let memory = WorkQueue.memory(options.limits)
    let queue = WorkQueue(concurrency: options.concurrency, waiting: options.queueLength, memory: memory)
    let jobs = JobList(
      options, folder, WorkQueue(concurrency: 1, waiting: options.maximumJobs, memory: memory))
    router = ServiceRouter(
      options: options,
      access: AccessControl(keys: keys, origins: options.origins, requestsPerMinute: options.requestsPerMinute),
      queue: queue, jobs: jobs, folder: folder,
      metrics: Metrics(Self.gauges(queue, jobs, connections, quota)), log: LogQueue(options.log),
      isDraining: WorkQueue.Flag())
  }

  private static func gauges(
    _ queue: WorkQueue, _ jobs: JobList, _ connections: Connections, _ quota: UploadQuota
  ) -> [Metrics.Gauge] {
    [
      Metrics.Gauge(name: "backdrop_requests_working", help: "Pictures that are worked on.") {
        Double(queue.use.working)
      },
      Metrics.Gauge(name: "backdrop_requests_admitted", help: "Pictures that are worked on, or wait.") {
        Double(queue.use.admitted)
      },
      Metrics.Gauge(name: "backdrop_memory_reserved_bytes", help: "Memory that is set aside for pictures.") {
        Double(queue.use.memory)
      },
      Metrics.Gauge(name: "backdrop_body_bytes", help: "Bodies of requests in memory.") { Double(quota.bytesInUse) },
      Metrics.Gauge(name: "backdrop_jobs", help: "Video jobs that are kept.") { Double(jobs.count) },
      Metrics.Gauge(name: "backdrop_connections", help: "Open connections.") { Double(connections.count) },
    ]
  }

  /// The port that it listens on; 0 while it does not run.
  public var port: Int { server.withLock { $0?.port ?? 0 } }

  /// The reason why it stopped serving by itself.
  public var failure: BackdropError? { fault.withLock { $0 } }

  /// Where it keeps files of requests while it runs.
  var temporaryFolder: String { folder.path }

  /// Requests that work on pictures, and jobs that have not ended.
  var workCount: Int { router.queue.use.admitted + jobs.runningCount }

  private var jobs: JobList { router.jobs }

  /// Begins to listen and to serve, on other threads.
  ///
  /// - Throws: `system` if the port is taken.
  public func start() throws(BackdropError) {
    let address: HTTPServer.Address =
      options.socket.map { .socket($0) } ?? .host(options.address, port: options.port)
    let router = router
    let opened = try HTTPServer.open(
      address, connections, title: "the service",
      onEnd: { [weak self] error in self?.fault.withLock { $0 = error } }
    ) { channel, place in
      try HTTPServer.speakHTTP(channel, router, place)
    }
    guard let opened else {
      throw BackdropError(.system, "another program uses the port \(options.port)", hint: .choosePort)
    }
    server.withLock { $0 = opened }
    jobs.start()
  }

  /// Reads the file of keys again.
  ///
  /// - Throws: what is wrong with the file; the keys that were there stay then.
  public func reload() throws(BackdropError) { try keys?.reload() }

  /// Takes no more connections and requests, and waits until those that are there are answered and jobs have ended.
  ///
  /// - Parameter seconds: how long it waits, without giving the calling thread back.
  /// - Returns: whether all were.
  public func drain(seconds: Double) -> Bool {
    router.isDraining.raise()
    server.withLock { $0 }?.stopListening()
    let end = ContinuousClock.now + .seconds(seconds)
    while workCount > 0 && ContinuousClock.now < end { usleep(20_000) }
    return workCount == 0
  }

  /// Ends it; jobs that run are given up, and nothing of a request is left.
  public func stop() {
    router.isDraining.raise()
    jobs.stop()
    server.withLock { $0.take() }?.stop()
    router.log.flush()
    folder.remove()
  }
}
