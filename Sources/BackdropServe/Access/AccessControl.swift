import BackdropHTTP
import NIOHTTP1

/// Decides which requests the service accepts.
struct AccessControl: Sendable {
  /// An admitted client.
  struct Caller: Sendable {
    /// The name of its key; empty if the service has no keys.
    var name: String
    /// The name under which its requests are counted.
    var account: String
    var requestsPerMinute: Int?
  }

  enum Decision {
    case admitted(Caller)
    case refused(Answer)
  }

  let keys: ServiceKeys?
  /// The origins whose pages may send requests.
  let origins: [String]
  let requestsPerMinute: Int?

  /// Decides on a request. Without keys, its `Host` must name this machine. Otherwise any website could point its own name at
  /// 127.0.0.1, and its pages would have access (DNS rebinding).
  func decide(_ head: HTTPRequestHead, peer: String) -> Decision {
    if let origin = head.headers.first(name: "Origin"), allowedOrigin(head) == nil {
      return .refused(
        .refusal(
          .forbidden, "pages of \(origin.prefix(200)) may not use this service",
          hint: "the operator of the service can allow this origin"))
    }
    guard let keys else {
      guard Self.namesThisMachine(head.headers.first(name: "Host") ?? "") else {
        return .refused(
          .refusal(
            .forbidden, "the Host header does not name this computer",
            hint: "ask for 127.0.0.1 or localhost, or give the service keys"))
      }
      return .admitted(Caller(name: "", account: peer, requestsPerMinute: requestsPerMinute))
    }
    let words = (head.headers.first(name: "Authorization") ?? "").split(separator: " ", maxSplits: 1)
    // There may be several blanks between the two (RFC 9110, section 11.4).
    guard words.count == 2, words[0].lowercased() == "bearer", let holder = keys.holder(of: words[1].trimmed) else {
      return .refused(
        Answer.refusal(
          .unauthorized, words.isEmpty ? "the request has no key" : "the key is wrong",
          hint: "send it as the header Authorization: Bearer KEY"
        ).adding("WWW-Authenticate", "Bearer"))
    }
    return .admitted(
      Caller(
        name: holder.name, account: "key " + holder.name,
        requestsPerMinute: holder.requestsPerMinute ?? requestsPerMinute))
  }

  /// The origin of the page that sends the request; `nil` without an origin, or if the origin is not allowed.
  func allowedOrigin(_ head: HTTPRequestHead) -> String? {
    let given = head.headers["Origin"]
    guard given.count == 1, let origin = given.first?.lowercased() else { return nil }
    let isOwn = head.headers.first(name: "Host").map { origin == "http://" + $0.lowercased() } ?? false
    return isOwn || origins.contains { $0.lowercased() == origin } ? given[0] : nil
  }

  private static func namesThisMachine(_ host: String) -> Bool {
    if host.hasPrefix("[") { return host.prefix { $0 != "]" } == "[::1" }
    return isLoopback(host.prefix { $0 != ":" }.lowercased())
  }

  /// Whether an address can be reached from this machine only.
  static func isLoopback(_ address: String) -> Bool {
    ["localhost", "::1"].contains(address)
      || address.hasPrefix("127.") && address.allSatisfy { $0.isNumber || $0 == "." }
  }
}
