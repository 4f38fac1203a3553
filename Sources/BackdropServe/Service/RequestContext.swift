import BackdropHTTP
import NIOHTTP1

/// The data of a request that the router keeps from its head to its answer.
final class RequestContext: Sendable {
  let id: String
  let method: HTTPMethod
  let route: Route?
  /// The identifier of the job in the address.
  let job: String?
  let caller: AccessControl.Caller?
  let peer: String
  /// The media type of the body.
  let type: String
  /// The origin of the page that sends the request, if it is allowed.
  let origin: String?
  let start: ContinuousClock.Instant
  /// The slot in the queue; `nil` for requests that do not work on a picture.
  let ticket: WorkQueue.Ticket?

  init(
    _ head: HTTPRequestHead, peer: String, route: (route: Route, id: String?)?, caller: AccessControl.Caller? = nil,
    origin: String? = nil, ticket: WorkQueue.Ticket? = nil
  ) {
    start = .now
    id = Self.id(head)
    method = head.method
    (self.route, job) = (route?.route, route?.id)
    (self.caller, self.peer, self.origin, self.ticket) = (caller, peer, origin, ticket)
    type = head.headers.first(name: "Content-Type") ?? ""
  }

  /// The client's own identifier, if it is safe for a log; else a new one.
  private static func id(_ head: HTTPRequestHead) -> String {
    let given = head.headers["X-Request-Id"]
    if given.count == 1, (1...64).contains(given[0].utf8.count),
      given[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) })
    {
      return given[0]
    }
    return Secret.make()
  }
}
