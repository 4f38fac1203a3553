import BackdropImaging
import BackdropSandbox
import Libc

/// How a service runs.
public struct ServeOptions: Sendable {
  /// The address on which it listens; others than this machine's own need keys.
  public var address = "127.0.0.1"
  /// The port; 0 for any that is free.
  public var port = 7260
  /// A socket that listens already, in place of ``address`` and ``port``.
  public var socket: Int32?
  /// A file of keys (``ServiceKeys``); `nil` to let everybody in who reaches the service.
  public var keyFile: String?
  /// Requests a minute of one key, or without keys of one address, unless its line in the file says another number; `nil` for any.
  public var requestsPerMinute: Int?
  /// Origins of pages that may ask for pictures, such as `https://example.org`.
  public var origins: [String] = []
  /// Pictures that are worked on at once.
  public var concurrency: Int
  /// Requests that wait for their turn, beside those that are worked on.
  public var queueLength = 16
  /// Seconds from a request's head to the end of the work on it.
  public var deadline = 60.0
  /// Bytes of a body.
  public var maximumBody = 64 << 20
  /// The largest pictures; `memory` holds for all requests together.
  public var limits = ImageLimits.standard
  /// Video jobs that are kept at once, running ones and finished ones.
  public var maximumJobs = 16
  /// Seconds that a finished job is kept.
  public var jobLife = 3600.0
  /// Whether clients of rembg's server are answered, too.
  public var answersRembg = false
  /// Where files lie while a request is worked on.
  public var temporaryFolder = ProcessEnvironment.temporaryFolder
  /// Decodes files of clients in processes behind walls, one sandbox a request; `nil` decodes them in this process.
  public var decoders: DecoderReserve?
  /// Takes a line of the log: an object in JSON for each request.
  public var log: @Sendable (String) -> Void = { _ in }

  /// The usual ones.
  public init() { concurrency = WorkerPool.processorCount }

  /// Refuses what makes no sense.
  func check() throws(BackdropError) {
    try Self.check("the port", port, in: 0...65_535)
    try Self.check("the number of pictures at once", concurrency, in: 1...256)
    try Self.check("the length of the queue", queueLength, in: 0...10_000)
    try Self.check("the number of jobs", maximumJobs, in: 1...10_000)
    try Self.check("the body limit", maximumBody, in: 1024...(4 << 30))
    if let requestsPerMinute { try Self.check("the rate", requestsPerMinute, in: 1...1_000_000) }
    guard deadline >= 0.1, deadline <= 86_400 else {
      throw BackdropError(.wrongArgument, "the deadline of \(brief(deadline)) s is out of range: 0.1…86400")
    }
    for origin in origins where !Self.isOrigin(origin) {
      throw BackdropError(
        .wrongArgument, "'\(origin)' is not an origin", hint: "write it as browsers do: https://example.org")
    }
    let place = listeningAddress
    guard keyFile != nil || place.map(AccessControl.isLoopback) ?? true else {
      throw BackdropError(
        .wrongArgument, "\(place ?? "") can be reached from other computers, and the service has no keys",
        hint: .giveKeys)
    }
  }

  /// The address of ``socket`` if there is one, else ``address``; `nil` for a socket of the file system, which only this machine reaches.
  package var listeningAddress: String? {
    guard let socket else { return address }
    var (place, length) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
    return withUnsafeMutablePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        guard getsockname(socket, place, &length) == 0 else { return "an unknown address" }
        guard Int32(place.pointee.sa_family) != AF_UNIX else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
          getnameinfo(place, length, text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            ? String(cString: text.baseAddress!) : "an unknown address"
        }
      }
    }
  }

  private static func isOrigin(_ text: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return false }
    let host = text.dropFirst(scheme.count)
    return !host.isEmpty && !host.contains { "/?# ".contains($0) }
  }

  private static func check(_ what: String, _ number: Int, in range: ClosedRange<Int>) throws(BackdropError) {
    guard range.contains(number) else {
      throw BackdropError(
        .wrongArgument, "\(what), \(number), is out of range: \(range.lowerBound)…\(range.upperBound)")
    }
  }
}
