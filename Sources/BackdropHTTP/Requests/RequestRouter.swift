import NIOHTTP1

/// Decides on requests, and answers them.
package protocol RequestRouter: Sendable {
  /// Looks at a head. Whatever is refused is refused here, before anything of the body is read.
  ///
  /// - Parameter peer: where the request comes from, without the port.
  func admit(_ head: HTTPRequestHead, peer: String) -> Admission
  /// Answers a request whose body is there. The task is cancelled where the client has gone.
  func answer(_ request: Request) async -> Answer
  /// The answer to bytes that are no request, or to a body that is longer than it may be.
  func refusing(_ request: Request?, with answer: Answer) -> Answer
}

extension RequestRouter {
  package func refusing(_ request: Request?, with answer: Answer) -> Answer { answer }
}

/// The decision on a request, by its head alone.
package enum Admission: Sendable {
  /// It is answered at once; a body is not read.
  case answer(Answer)
  /// Its body is read, up to so many bytes.
  case read(Request, limit: Int)
}

extension HTTPRequestHead {
  /// The declared length of a body; 0 without one, `nil` for nonsense.
  package var bodyLength: Int? {
    let given = headers["Content-Length"]
    guard let first = given.first else { return 0 }
    guard given.count == 1, let length = Int(first), length >= 0 else { return nil }
    return length
  }

  /// Whether a body follows.
  package var hasBody: Bool { headers.contains(name: "Transfer-Encoding") || (bodyLength ?? 1) > 0 }
}
