import NIOHTTP1
import Synchronization

/// Which requests are this studio's own page's.
///
/// A page of any other origin can send requests to this machine's ports, and a name that its owner points at 127.0.0.1
/// makes it look like this page: so the name that was asked for (`Host`) and where the request comes from (`Origin`,
/// `Sec-Fetch-Site`) are checked here; the ``Authenticator`` checks who asks. Neither is enough alone.
final class Gate: Sendable {
  private let isPublic: Bool
  private let port = Mutex(0)

  init(isPublic: Bool) { self.isPublic = isPublic }

  /// The port that names must carry.
  func open(port number: Int) { port.withLock { $0 = number } }

  /// Why a request is refused, whatever it asks for; `nil` if it is not.
  ///
  /// - Parameter mayComeFromElsewhere: whether a person may be led here by another page, as by the file that opens the studio.
  func refusal(_ head: HTTPRequestHead, mayComeFromElsewhere: Bool = false) -> String? {
    guard head.headers["Host"].count == 1, let host = head.headers.first(name: "Host")?.lowercased() else {
      return "the request must have one Host header"
    }
    let port = port.withLock { $0 }
    if isPublic {
      guard host.hasSuffix(":\(port)") else { return "the Host header does not name this studio" }
    } else {
      guard ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host) else {
        return "the Host header does not name this studio"
      }
    }
    for origin in head.headers["Origin"] {
      guard origin.lowercased() == "http://" + host else { return "the Origin header does not name this studio" }
    }
    for site in head.headers["Sec-Fetch-Site"] {
      // A person who types the address, or follows the terminal's link, comes from nowhere.
      guard
        site == "same-origin" || (site == "none" && head.method == .GET)
          || (mayComeFromElsewhere && head.headers["Sec-Fetch-Mode"] == ["navigate"]
            && head.headers["Sec-Fetch-Dest"] == ["document"])
      else { return "the request comes from another site" }
    }
    return nil
  }
}
