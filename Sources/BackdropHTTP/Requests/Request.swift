import BackdropImaging
import NIOCore
import NIOHTTP1

/// An admitted request.
package struct Request: Sendable {
  package var method: HTTPMethod
  /// The parts between the slashes, each decoded separately: an encoded slash separates nothing.
  package var parts: [String]
  /// The query, in its order.
  package var query: [(name: String, value: String)]
  /// Its origin, without the port.
  package var peer: String
  /// The body.
  package var body = ByteBuffer()
  /// What the router keeps of a request from its head to its answer.
  package var context: (any Sendable)?
  /// How long its body may take; `nil` for as long as something comes.
  package var bodyTime: TimeAmount?
  /// The bytes reserved for the body, if it is a file.
  package var reservation: UploadReservation?

  package init(_ head: HTTPRequestHead, peer: String) {
    let halves = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    method = head.method
    parts = halves[0].split(separator: "/").map { $0.percentDecoded ?? String($0) }
    // The encoding of browser forms (application/x-www-form-urlencoded), and of encodeURIComponent.
    query = (halves.count > 1 ? halves[1] : "").replacing("+", with: " ").split(separator: "&").map { item in
      let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.percentDecoded ?? String($0) }
      return (sides[0], sides.count > 1 ? sides[1] : "")
    }
    self.peer = peer
  }

  /// The value of a name in the address.
  package func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// The body's bytes.
  package var bytes: [UInt8] { Array(buffer: body) }

  /// The JSON of the body.
  ///
  /// - Throws: `wrongArgument` for anything else.
  package func json<Value: Decodable>() throws(BackdropError) -> Value {
    do {
      return try JSONReader.decode(Value.self, from: bytes)
    } catch {
      throw BackdropError(.wrongArgument, "the request is not the JSON that this address takes")
    }
  }
}
