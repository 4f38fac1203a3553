import BackdropImaging
import NIOCore
import NIOHTTP1

/// An admitted request.
package struct Request: Sendable {
  /// GET for HEAD too, whose answer is that of GET without the body (RFC 9110, section 9.3.2).
  package var method: HTTPMethod
  /// The parts of the path between slashes, each decoded separately, so that an encoded slash does not separate parts.
  package var parts: [String]
  /// The names and values of the query, in order.
  package var query: [(name: String, value: String)]
  /// The client's IP address, without the port.
  package var peer: String
  /// The body, empty until it is read, and empty if it goes to a ``file``.
  package var body = ByteBuffer()
  /// The file that takes the body; `nil` to keep the body in memory.
  package var file: BodyFile?
  /// Whether the client has shown that it may use the server.
  package var isKnown = false
  /// The router's own data from the head to the answer.
  package var context: (any Sendable)?
  /// The maximum time for the whole body; `nil` if only silence ends it.
  package var bodyTime: TimeAmount?
  /// The bytes reserved for a body in memory; `nil` if none are.
  package var reservation: UploadReservation?

  package init(_ head: HTTPRequestHead, peer: String) {
    let halves = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    method = head.method.asGET
    parts = halves[0].split(separator: "/").map { $0.percentDecoded ?? String($0) }
    // The encoding of browser forms (application/x-www-form-urlencoded), and of encodeURIComponent.
    query = (halves.count > 1 ? halves[1] : "").replacing("+", with: " ").split(separator: "&").map { item in
      let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.percentDecoded ?? String($0) }
      return (sides[0], sides.count > 1 ? sides[1] : "")
    }
    self.peer = peer
  }

  package func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// The maximum length of a file's name, in characters.
  package static let maximumFileName = 200

  /// The name that the client gives the body's file; `usual` if it gives none.
  package func fileName(or usual: String) -> String { String((value("name") ?? usual).prefix(Self.maximumFileName)) }

  package var bytes: [UInt8] { Array(buffer: body) }

  /// Decodes the body as JSON.
  package func json<Value: Decodable>() throws(BackdropError) -> Value {
    try JSONReader.decode(
      bytes, failure: BackdropError(.wrongArgument, "the request is not the JSON that this address takes"))
  }
}

extension HTTPMethod {
  /// The method whose rules apply: GET for HEAD.
  package var asGET: HTTPMethod { self == .HEAD ? .GET : self }
}
