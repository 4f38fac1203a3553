import NIOHTTP1

/// Admits or refuses requests, and answers them.
package protocol RequestRouter: Sendable {
  /// Decides on a request by its head, before its body is read; `peer` is the client's IP address, without the port.
  func admit(_ head: HTTPRequestHead, peer: String) -> Admission
  /// Decides on a request when its whole body has come, on the connection's thread; `nil` if ``answer(_:)`` makes the answer, as by
  /// default.
  func complete(_ request: Request) -> Answer?
  /// Answers a request with a complete body. The task is cancelled if the client disconnects.
  func answer(_ request: Request) async -> Answer
  /// Completes the refusal of bytes that are not a request (`nil`), or of a body that is too long or too slow.
  func refusing(_ request: Request?, with answer: Answer) -> Answer
}

extension RequestRouter {
  package func complete(_ request: Request) -> Answer? { nil }
  package func refusing(_ request: Request?, with answer: Answer) -> Answer { answer }
}

/// The decision on a request, by its head alone.
package enum Admission: Sendable {
  /// The request is answered at once, without reading its body.
  case answer(Answer)
  /// The body is read, up to `limit` bytes.
  case read(Request, limit: Int)
}

extension HTTPRequestHead {
  /// The declared length of the body; 0 without one, `nil` if it is invalid, or unknown because the body comes in chunks.
  package var bodyLength: Int? {
    guard !headers.contains(name: "Transfer-Encoding") else { return nil }
    let given = headers["Content-Length"]
    guard let first = given.first else { return 0 }
    guard given.count == 1, let length = Int(first), length >= 0 else { return nil }
    return length
  }

  package var hasBody: Bool { bodyLength != 0 }

  /// The refusal of the body for its length; `nil` if it has at most `limit` bytes. The hint is for a longer one.
  package func refusal(ofBodyBeyond limit: Int, hint: String) -> Answer? {
    guard let bodyLength else {
      return .refusal(
        .lengthRequired, "the request does not give its length", hint: "send Content-Length, without chunks")
    }
    guard bodyLength > limit else { return nil }
    let size = limit >= 1 << 20 ? "\(limit >> 20) MiB" : "\(limit >> 10) KiB"
    return .refusal(.payloadTooLarge, "the request would be larger than \(size)", hint: hint)
  }
}
