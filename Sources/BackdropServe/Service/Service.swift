import BackdropHTTP
import BackdropImaging
import Dispatch
import Libc
import Synchronization

/// The service that replaces backgrounds for other programs over HTTP.
///
///     let service = try Service(ServeOptions())
///     try service.start()
///     print(service.port)
package final class Service: Sendable {
  private let options: ServeOptions
  private let keys: ServiceKeys?
  private let router: ServiceRouter
  private let folder: DropFolder
  private let connections: Connections
  private let server = Mutex<HTTPServer?>(nil)
  /// The maximum number of connections. Each takes a descriptor and buffers; further ones displace others.
  private static let maximumConnections = 2048

  /// Creates a service; ``start()`` starts it.
  package init(_ options: ServeOptions) throws(BackdropError) {
    try options.check()
    self.options = options
    keys = try options.keyFile.map { (path) throws(BackdropError) in try ServiceKeys(path) }
    let quota = UploadQuota(limit: max(1 << 30, 8 * options.maximumBody), hint: "try again", isShared: true)
    folder = try DropFolder(in: options.temporaryFolder, prefix: "backdrop-serve-", quota: quota)
    connections = Connections(maximum: Self.maximumConnections)
    let memory = WorkQueue.memory(options.limits)
    let queue = WorkQueue(concurrency: options.concurrency, waiting: options.queueLength, memory: memory)
    let jobs = JobList(options, folder, WorkQueue(concurrency: 1, waiting: options.maximumJobs, memory: memory), keys)
    let metrics = Metrics([
      ("backdrop_requests_working", "Pictures that are worked on.", { queue.use.working }),
      ("backdrop_requests_admitted", "Pictures that are worked on, or wait.", { queue.use.admitted }),
      ("backdrop_memory_reserved_bytes", "Memory that is set aside for pictures.", { queue.use.memory }),
      ("backdrop_body_bytes", "Bodies of requests, which are files.", { quota.bytesInUse }),
      ("backdrop_jobs", "Video jobs that are kept.", { jobs.count }),
      ("backdrop_connections", "Open connections.", { [connections] in connections.count }),
    ])
    router = ServiceRouter(
      options: options,
      access: AccessControl(keys: keys, origins: options.origins, requestsPerMinute: options.requestsPerMinute),
      queue: queue, jobs: jobs, folder: folder, metrics: metrics, log: LogQueue(options.log),
      isDraining: EndRequest(), rates: WorkRates(), documents: ServiceDocuments(options))
  }

  /// The port on which it listens; 0 while it is not running.
  package var port: Int { server.withLock { $0?.port ?? 0 } }

  /// The error with which it stopped by itself; `nil` if it did not.
  package var failure: BackdropError? { server.withLock { $0?.failure } }

  var connectionCount: Int { connections.count }

  /// The folder for the files of requests while it is running.
  var temporaryFolder: String { folder.path }

  /// The number of requests with bodies, from their heads to the end of their work, plus that of jobs that have not ended.
  var workCount: Int {
    let use = queue.use
    return use.arriving + use.admitted + router.jobs.runningCount
  }

  var queue: WorkQueue { router.queue }

  /// Starts to listen and to serve, on other threads.
  package func start() throws(BackdropError) {
    let address: HTTPServer.Address =
      options.socket.map { .socket($0) } ?? .host(options.address, port: options.port)
    let router = router
    let opened = try HTTPServer.open(address, connections, title: "the service") { channel, slot in
      try HTTPServer.speakHTTP(channel, router, slot)
    }
    guard let opened else {
      throw BackdropError(.system, "another program uses the port \(options.port)", hint: .choosePort)
    }
    server.withLock { $0 = opened }
    router.jobs.start()
    guard options.measuresRates else { return }
    DispatchQueue.global(qos: .utility).async { [options, router, folder] in
      do throws(BackdropError) {
        try router.rates.measure(
          folder, threads: router.queue.threads, { options.decoders?.sandbox() },
          isOver: { router.isDraining.isRaised })
      } catch {
        // A format that cannot be written here has no rate, and each request for it gets the reason.
      }
      ScratchMemory.giveBack()
    }
  }

  /// Reads the file of keys again; if that fails, the present keys stay.
  package func reload() throws(BackdropError) { try keys?.reload() }

  /// Refuses new work, and waits until present requests are answered and jobs have ended. The service still listens, so that clients and load
  /// balancers learn from its answers that it is ending.
  ///
  /// It blocks the calling thread for `seconds` at most, and returns whether everything ended in time.
  package func drain(seconds: Double) -> Bool {
    router.isDraining.raise()
    let end = ContinuousClock.now + .seconds(seconds)
    var isIdle: Bool { workCount == 0 && connections.workingCount == 0 }
    while !isIdle && ContinuousClock.now < end { usleep(20_000) }
    return isIdle
  }

  /// Stops the service, cancels its jobs, and removes all files of requests.
  package func stop() {
    router.isDraining.raise()
    router.jobs.stop()
    server.withLock { $0.take() }?.stop()
    router.log.flush()
    folder.remove()
  }
}
