import BackdropHTTP

/// A workspace of the studio: it answers the requests to its addresses.
protocol Workspace: Sendable {
  /// The first parts of its addresses, after `/api/`.
  var addresses: [String] { get }

  /// The body that a POST request to these parts after `/api/` may have.
  func body(of parts: [String]) -> RequestBody

  /// Answers a GET request; its parts begin with one of ``addresses``.
  func answer(_ request: Request) async throws -> Answer

  /// Answers a POST request, whose body is complete.
  func perform(_ request: Request) async throws -> Answer

  /// Ends its work with the studio's.
  func stop()
}

extension Workspace {
  func stop() {}
}

/// The limits of a request's body.
struct RequestBody {
  /// The maximum size in bytes.
  let limit: Int
  /// Whether it is a file, whose space is reserved.
  var isFile = false

  /// A request in a few words.
  static let small = Self(limit: 1 << 16)
  static let file = Self(limit: 256 << 20, isFile: true)
}
