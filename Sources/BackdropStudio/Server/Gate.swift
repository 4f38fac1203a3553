import NIOHTTP1
import Synchronization

/// Decides which requests come from this studio's own page.
///
/// Pages of other origins can send requests to this machine's ports, and an attacker can make a host name resolve to 127.0.0.1. The gate
/// therefore checks the requested name (`Host`) and the request's origin (`Origin`, `Sec-Fetch-Site`); the ``Authenticator`` checks the
/// user. Neither is enough alone.
final class Gate: Sendable {
  private let isPublic: Bool
  private let port = Mutex(0)

  init(isPublic: Bool) { self.isPublic = isPublic }

  /// The port that host names must include.
  func open(port number: Int) { port.withLock { $0 = number } }

  /// The reason for refusing a request, whatever its path; `nil` if it is allowed.
  ///
  /// - Parameter mayComeFromElsewhere: whether another page may link here, such as the file that opens the studio.
  func refusal(_ head: HTTPRequestHead, mayComeFromElsewhere: Bool = false) -> String? {
    guard head.headers["Host"].count == 1, let host = head.headers.first(name: "Host")?.lowercased() else {
      return "the request must have one Host header"
    }
    let port = port.withLock { $0 }
    guard isPublic ? host.hasSuffix(":\(port)") : ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host) else {
      return "the Host header does not name this studio"
    }
    guard head.headers["Origin"].allSatisfy({ $0.lowercased() == "http://" + host }) else {
      return "the Origin header does not name this studio"
    }
    for site in head.headers["Sec-Fetch-Site"] {
      // A typed address, or a link opened from the terminal, has no origin.
      guard
        site == "same-origin" || (site == "none" && head.method == .GET)
          || (mayComeFromElsewhere && head.headers["Sec-Fetch-Mode"] == ["navigate"]
            && head.headers["Sec-Fetch-Dest"] == ["document"])
      else { return "the request comes from another site" }
    }
    return nil
  }
}
