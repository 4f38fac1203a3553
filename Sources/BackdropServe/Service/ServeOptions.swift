import BackdropImaging
import BackdropSandbox
import Libc

package struct ServeOptions: Sendable {
  /// The address on which it listens; an address that other machines can reach requires keys.
  package var address = "127.0.0.1"
  /// The port; 0 for any free one.
  package var port = 7260
  /// A listening socket, in place of ``address`` and ``port``.
  package var socket: Int32?
  /// The path of a file of keys (``ServiceKeys``); `nil` to admit every client.
  package var keyFile: String?
  /// The maximum number of requests per minute for one key, or for one address without keys; a key's line in the file may set another.
  /// `nil` sets no limit.
  package var requestsPerMinute: Int?
  /// The origins whose pages may send requests, such as `https://example.org`.
  package var origins: [String] = []
  /// The maximum number of pictures in work at once.
  package var concurrency: Int
  /// The maximum number of waiting requests, without those in work.
  package var queueLength = 16
  /// The maximum time from a request's head to the end of its work, in seconds.
  package var deadline = 60.0
  /// The maximum size of a body, in bytes.
  package var maximumBody = 64 << 20
  /// The limits of pictures; `memory` applies to all requests together.
  package var limits = ImageLimits(
    side: ImageLimits.standard.side, pixels: Self.usualPixels, memory: ImageLimits.standard.memory)
  /// The default limit of a picture's pixels. Few cameras take larger pictures, and a file of a few KB can claim any size.
  package static let usualPixels = 50_000_000
  /// The maximum number of video jobs, including finished ones.
  package var maximumJobs = 16
  /// The time that a finished job is kept, in seconds.
  package var jobLife = 3600.0
  package var answersRembg = false
  /// The folder for the files of requests.
  package var temporaryFolder = ProcessEnvironment.temporaryFolder
  /// Decodes clients' files in sandboxed processes, with one sandbox per request; `nil` decodes them in this process.
  package var decoders: DecoderReserve?
  /// Whether the service measures at its start how long pictures take, to refuse those that the deadline cannot allow.
  package var measuresRates = true
  /// Receives the lines of the log: a JSON object for each request.
  package var log: @Sendable (String) -> Void = { _ in }

  package init() { concurrency = WorkerPool.processorCount }

  /// Checks the options; throws `wrongArgument` for invalid ones.
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
    guard keyFile != nil || listeningAddress.map(AccessControl.isLoopback) ?? true else {
      throw BackdropError(
        .wrongArgument, "\(listeningAddress ?? "") can be reached from other computers, and the service has no keys",
        hint: .giveKeys)
    }
  }

  /// The address of ``socket`` if it is set, else ``address``; `nil` for a Unix socket, which only this machine can reach.
  package var listeningAddress: String? {
    guard let socket else { return address }
    var (storage, length) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { socketAddress in
        guard getsockname(socket, socketAddress, &length) == 0 else { return "an unknown address" }
        guard Int32(socketAddress.pointee.sa_family) != AF_UNIX else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
          getnameinfo(socketAddress, length, text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
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
