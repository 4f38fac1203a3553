import BackdropHTTP
import NIOHTTP1

/// Who may ask for something.
struct AccessControl: Sendable {
  /// Somebody who was let in.
  struct Caller: Sendable, Equatable {
    /// The name of the key; empty where there are none.
    var name: String
    /// Under which its requests are counted.
    var account: String
    var requestsPerMinute: Int?
  }

  enum Decision {
    case admitted(Caller)
    case refused(Answer)
  }

  let keys: ServiceKeys?
  /// Pages of these origins may ask.
  let origins: [String]
  let requestsPerMinute: Int?

  /// Looks at a request. Without keys the request must name this machine: a name that its owner points at 127.0.0.1 would make any page
  /// one of this machine's own.
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
    guard words.count == 2, words[0].lowercased() == "bearer", let holder = keys.holder(of: String(words[1])) else {
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

  /// The origin that a page comes from, if it may ask.
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
