import BackdropImaging
import BackdropSandbox
import BackdropServe
import BackdropTerminal
import Libc

/// Runs the service in a terminal or under a service manager: prints its address, reloads its keys on SIGHUP, and drains
/// on SIGTERM.
struct ServeRun {
  let start: ServeStart

  func run() throws {
    if let newKey = start.newKey { return try printKey(newKey) }
    if geteuid() == 0 && !start.isQuiet {
      Terminal.warn("the service runs as root, and needs none of root's rights; run it as another user")
    }
    let manager = try ServiceManager()
    var options = try options()
    options.socket = manager.socket
    let service = try Service(options)
    ServiceManager.raiseFileLimit()
    Reloading.install()
    try service.start()
    if let address = options.listeningAddress {
      try Terminal.print("http://\(address.contains(":") ? "[\(address)]" : address):\(service.port)")
    }
    manager.notify("READY=1")
    defer { service.stop() }
    try serve(service, manager)
    manager.notify("STOPPING=1")
    let isIdle = service.drain(seconds: max(0, start.drain ?? 30))
    if !isIdle && !start.isQuiet { Terminal.warn("the service gave up requests that were not done") }
  }

  private func options() throws(BackdropError) -> ServeOptions {
    var options = ServeOptions()
    (options.address, options.port) = (start.address ?? options.address, start.port ?? options.port)
    (options.keyFile, options.requestsPerMinute, options.origins) = (start.keys, start.rate, start.origins)
    options.concurrency = start.concurrency ?? options.concurrency
    options.queueLength = start.queue ?? options.queueLength
    options.deadline = start.deadline ?? options.deadline
    options.maximumJobs = start.jobs ?? options.maximumJobs
    options.jobLife = start.jobLife ?? options.jobLife
    options.maximumBody = start.maximumBody ?? options.maximumBody
    options.limits = ImageLimits(
      side: start.limitSide, pixels: start.limitPixels ?? options.limits.pixels, memory: start.limitMemory)
    options.answersRembg = start.answersRembg
    if start.usesSandbox {
      options.decoders = try DecoderReserve(.init(program: "/proc/self/exe", limits: options.limits))
    }
    if !start.isQuiet { options.log = { Terminal.say($0) } }
    return options
  }

  /// Serves until a signal ends it or it fails.
  ///
  /// The heaps keep what requests of all kinds have freed. Every minute the service gives that back to the system, so that its memory does
  /// not grow over days.
  private func serve(_ service: Service, _ manager: ServiceManager) throws {
    var nextGiveBack = ContinuousClock.now + .seconds(60)
    while !Interruption.isRequested {
      if let failure = service.failure { throw failure }
      if ContinuousClock.now >= nextGiveBack {
        ScratchMemory.giveBack()
        nextGiveBack = .now + .seconds(60)
      }
      if Reloading.isRequested() {
        do throws(BackdropError) {
          try service.reload()
          if !start.isQuiet { Terminal.note("the service has read its keys again") }
        } catch {
          Terminal.warn("\(error.description); the keys from before stay")
        }
      }
      usleep(50_000)
    }
  }

  private func printKey(_ name: String) throws {
    let made = try ServiceKeys.make(for: name)
    Terminal.note("the key, which is not kept anywhere: \(made.key)")
    try Terminal.print(made.line)
  }
}

/// Receives SIGHUP, which requests reading the keys again.
private enum Reloading {
  // The signal handler writes this C integer.
  nonisolated(unsafe) private static var signal: sig_atomic_t = 0

  static func install() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in Reloading.signal = 1 }
    sigaction(SIGHUP, &action, nil)
  }

  /// Whether the signal has arrived since the last call.
  static func isRequested() -> Bool {
    defer { signal = 0 }
    return signal != 0
  }
}
