import BackdropImaging
import NIOCore
import NIOHTTP1

/// A request that was let in.
struct Request: Sendable {
  var method: HTTPMethod
  /// The parts between the slashes, each decoded by itself: a coded slash separates nothing.
  var parts: [String]
  /// The query, in its order.
  var query: [(name: String, value: String)]
  /// Where it comes from, without the port.
  var peer: String
  /// The body.
  var body = ByteBuffer()
  /// The bytes that are reserved for the body, where it carries a file.
  var reservation: UploadReservation?

  init(_ head: HTTPRequestHead, peer: String) {
    let halves = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    method = head.method
    parts = halves[0].split(separator: "/").map { $0.percentDecoded ?? String($0) }
    // As browsers write forms (application/x-www-form-urlencoded), and encodeURIComponent.
    query = (halves.count > 1 ? halves[1] : "").replacing("+", with: " ").split(separator: "&").map { item in
      let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.percentDecoded ?? String($0) }
      return (sides[0], sides.count > 1 ? sides[1] : "")
    }
    self.peer = peer
  }

  /// The value of a name in the address.
  func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// The body's bytes.
  var bytes: [UInt8] { Array(buffer: body) }

  /// The JSON of the body.
  ///
  /// - Throws: `wrongArgument` for anything else.
  func json<Value: Decodable>() throws(BackdropError) -> Value {
    do {
      return try JSONReader.decode(Value.self, from: bytes)
    } catch {
      throw BackdropError(.wrongArgument, "the request is not the JSON that the studio expects")
    }
  }
}
